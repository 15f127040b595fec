const node = `FROM node:24-slim

WORKDIR /app

# The packages change more rarely than the code: their layer is kept.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

COPY . .

USER node
EXPOSE 3000
CMD ["node", "server.js"]
`

const python = `FROM python:3.13-slim

WORKDIR /app

COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY . .

CMD ["python", "-m", "app"]
`

const golang = `FROM golang:1.25 AS build

WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /out/app .

FROM scratch
COPY --from=build /out/app /app
ENTRYPOINT ["/app"]
`

const golangAlpine = `FROM golang:1.25-alpine AS build

WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /out/app .

FROM alpine:3.22
RUN apk add --no-cache ca-certificates
COPY --from=build /out/app /usr/local/bin/app
CMD ["app"]
`

const rust = `FROM rust:1 AS build

WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:stable-slim
COPY --from=build /out/bin/ /usr/local/bin/
# The name of the program in Cargo.toml.
CMD ["app"]
`

const ruby = `FROM ruby:3.4-slim

RUN apt-get update && apt-get install -y --no-install-recommends build-essential && rm -rf /var/lib/apt/lists/*
WORKDIR /app

COPY Gemfile Gemfile.lock ./
RUN bundle install

COPY . .

CMD ["ruby", "app.rb"]
`

const php = `FROM php:8.4-apache

COPY . /var/www/html/
RUN chown -R www-data:www-data /var/www/html
`

const java = `FROM maven:3-eclipse-temurin-21 AS build

WORKDIR /src
COPY pom.xml .
RUN mvn -B dependency:go-offline
COPY src ./src
RUN mvn -B package -DskipTests

FROM eclipse-temurin:21-jre
COPY --from=build /src/target/*.jar /app.jar
CMD ["java", "-jar", "/app.jar"]
`

const httpd = `FROM httpd:2.4-alpine

COPY ./public/ /usr/local/apache2/htdocs/
`

const nginx = `FROM nginx:alpine

COPY ./public/ /usr/share/nginx/html/
`

/** Dockerfiles, by the name of the language or tool. */
export const DOCKERFILES: Readonly<Record<string, string>> = {
  Golang: golang,
  'Golang-alpine': golangAlpine,
  HTTPd: httpd,
  Java: java,
  Nginx: nginx,
  Node: node,
  PHP: php,
  Python: python,
  Ruby: ruby,
  Rust: rust,
}
