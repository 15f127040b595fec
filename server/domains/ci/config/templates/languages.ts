/** A Go module: formatting, vet and tests first, then the program. */
const go = `image: golang:latest

stages: [test, build]

format:
  stage: test
  script:
    - go fmt $(go list ./...)
    - go vet $(go list ./...)

test:
  stage: test
  script:
    - go test -race $(go list ./...)

build:
  stage: build
  script:
    - mkdir -p out
    - go build -o out ./...
  artifacts:
    paths: [out]
`

/** A crate: tests with every feature, then a build for release. */
const rust = `image: rust:latest

cache:
  key: $CI_COMMIT_REF_SLUG
  paths: [target]

stages: [test, build]

test:
  stage: test
  script:
    - cargo --version
    - cargo test --workspace --all-features

build:
  stage: build
  script:
    - cargo build --workspace --release
  artifacts:
    paths: [target/release]
`

/** Gems are kept between pipelines. */
const ruby = `image: ruby:latest

variables:
  BUNDLE_PATH: vendor/bundle

cache:
  key:
    files: [Gemfile.lock]
  paths: [vendor/bundle]

before_script:
  - ruby --version
  - bundle install --jobs 4

test:
  script:
    - bundle exec rake test
`

/** Packages by Composer, tests by PHPUnit. */
const php = `image: php:latest

cache:
  key:
    files: [composer.lock]
  paths: [vendor]

before_script:
  - php --version
  - composer install --no-interaction --prefer-dist

test:
  script:
    - vendor/bin/phpunit --log-junit report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml
`

/** The phases of Maven, with its local repository kept. */
const maven = `image: maven:3-eclipse-temurin-21

variables:
  MAVEN_OPTS: -Dmaven.repo.local=$CI_PROJECT_DIR/.m2/repository
  MAVEN_CLI_OPTS: --batch-mode --errors --show-version

cache:
  paths: [.m2/repository]

stages: [verify, deploy]

verify:
  stage: verify
  script:
    - mvn $MAVEN_CLI_OPTS verify
  artifacts:
    when: always
    reports:
      junit: target/surefire-reports/TEST-*.xml

deploy:
  stage: deploy
  script:
    - mvn $MAVEN_CLI_OPTS deploy -DskipTests
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual
`

/** Assembling and checking with the daemon off, which outlives no job. */
const gradle = `image: gradle:jdk21

variables:
  GRADLE_OPTS: -Dorg.gradle.daemon=false
  GRADLE_USER_HOME: $CI_PROJECT_DIR/.gradle

cache:
  key: $CI_COMMIT_REF_SLUG
  paths: [.gradle/caches, .gradle/wrapper]

stages: [build, test]

build:
  stage: build
  script:
    - gradle --build-cache assemble
  artifacts:
    paths: [build/libs]

test:
  stage: test
  script:
    - gradle check
  artifacts:
    when: always
    reports:
      junit: build/test-results/test/TEST-*.xml
`

/** CMake in a folder of its own, tests by ctest. */
const cpp = `image: gcc:latest

stages: [build, test]

build:
  stage: build
  before_script:
    - apt-get update && apt-get install -y --no-install-recommends cmake
  script:
    - cmake -S . -B build
    - cmake --build build --parallel
  artifacts:
    paths: [build]
    expire_in: 1 day

test:
  stage: test
  before_script:
    - apt-get update && apt-get install -y --no-install-recommends cmake
  script:
    - ctest --test-dir build --output-on-failure
`

/** Restore, build and test of a solution. */
const dotnet = `image: mcr.microsoft.com/dotnet/sdk:latest

variables:
  NUGET_PACKAGES: $CI_PROJECT_DIR/.nuget

cache:
  key: $CI_COMMIT_REF_SLUG
  paths: [.nuget]

stages: [build, test]

before_script:
  - dotnet restore

build:
  stage: build
  script:
    - dotnet build --no-restore

test:
  stage: test
  script:
    - dotnet test --no-restore --logger trx
`

/** The provider's plan in one job, its carrying out in another one that somebody starts. */
const terraform = `image:
  name: hashicorp/terraform:latest
  entrypoint: ['']

cache:
  key: terraform
  paths: [.terraform]

stages: [validate, plan, apply]

before_script:
  - terraform init

validate:
  stage: validate
  script:
    - terraform fmt -check -recursive
    - terraform validate

plan:
  stage: plan
  script:
    - terraform plan -out plan.cache
  artifacts:
    paths: [plan.cache]

apply:
  stage: apply
  script:
    - terraform apply plan.cache
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual
`

/** Configurations for projects of one language or tool, by the name of the template. */
export const languages: Readonly<Record<string, string>> = {
  'C++': cpp,
  Go: go,
  Gradle: gradle,
  Maven: maven,
  PHP: php,
  Ruby: ruby,
  Rust: rust,
  Terraform: terraform,
  'dotNET-Core': dotnet,
}
