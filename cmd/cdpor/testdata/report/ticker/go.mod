module ticker

go 1.26
