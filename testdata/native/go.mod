module native

go 1.25
