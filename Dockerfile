# cdpor with Go, Z3 and a C compiler: docker build -t cdpor . &&
# docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" cdpor run ./...
# An image for clusters, without Go, is in cmd/cdpor/deploy.
FROM golang:1.26-trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends libz3-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -o /usr/local/bin/cdpor ./cmd/cdpor

FROM golang:1.26-trixie
RUN apt-get update && apt-get install -y --no-install-recommends libz3-4 git && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/cdpor /usr/local/bin/cdpor
RUN useradd --create-home cdpor && mkdir /work && chown cdpor /work && chmod 777 /home/cdpor && \
    git config --system --add safe.directory '*'
ENV HOME=/home/cdpor
USER cdpor
WORKDIR /work
ENTRYPOINT ["cdpor"]
