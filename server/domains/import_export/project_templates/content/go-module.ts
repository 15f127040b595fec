import type { ProjectTemplate } from '../template.ts'

/** A module for Go with a command. */
export const goModule: ProjectTemplate = {
  title: 'Go module',
  description: 'A command and a package with a table of tests. The pipeline formats, vets, tests and builds.',
  files: {
    'README.md': `# {{name}}

    go run . Ada    # Hello, Ada!
    go test ./...

\`main.go\` is the command, \`greeting/\` the package.
`,
    '.gitignore': `/bin/
*.test
*.out
go.work
`,
    '.gitlab-ci.yml': `stages: [check, build]

default:
  image: golang:1.24-alpine

variables:
  CGO_ENABLED: "0"

format:
  stage: check
  script:
    - test -z "$(gofmt -l .)"

test:
  stage: check
  script:
    - go vet ./...
    - go test ./...

build:
  stage: build
  script:
    - go build -o bin/ ./...
  artifacts:
    paths:
      - bin
    expire_in: 1 week
`,
    'go.mod': `module example.com/greeting

go 1.24
`,
    'main.go': `package main

import (
	"fmt"
	"os"

	"example.com/greeting/greeting"
)

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	fmt.Println(greeting.For(name))
}
`,
    'greeting/greeting.go': `// Package greeting says hello.
package greeting

// For returns a greeting for one person, or for everyone if there is no name.
func For(name string) string {
	if name == "" {
		name = "world"
	}
	return "Hello, " + name + "!"
}
`,
    'greeting/greeting_test.go': `package greeting

import "testing"

func TestFor(t *testing.T) {
	for name, want := range map[string]string{
		"":    "Hello, world!",
		"Ada": "Hello, Ada!",
	} {
		if got := For(name); got != want {
			t.Errorf("For(%q) = %q, want %q", name, got, want)
		}
	}
}
`,
  },
}
