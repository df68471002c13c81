module endless

go 1.26
