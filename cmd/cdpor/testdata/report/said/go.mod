module said

go 1.26
