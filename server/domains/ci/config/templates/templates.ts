import { CI_CONFIG_FILE } from '../../../../http/aliases.ts'
import { languages } from './languages.ts'
import { moreLanguages } from './more-languages.ts'

/** Which pipelines there are at all: of branches, or of merge requests where there is one. */
const workflows = {
  branches: `\
workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
  mergeRequests: `\
workflow:
  rules:
    - if: $CI_MERGE_REQUEST_IID
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
} as const

/** Installs a Python project into an environment of its own and runs its tests. */
const python = `\
image: python:latest

variables:
  PIP_CACHE_DIR: "$CI_PROJECT_DIR/.cache/pip"

cache:
  paths:
    - .cache/pip

before_script:
  - python -m venv venv
  - source venv/bin/activate
  - pip install -r requirements.txt

test:
  stage: test
  script:
    - python -m pytest
`

/** Publishes the files of the folder \`public\` as they are. */
const pages = `\
pages:
  stage: deploy
  script:
    - echo "The site is published from public/"
  artifacts:
    paths:
      - public
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`

/** Installs packages and runs the tests of a Node project. */
const nodejs = `\
image: node:lts

cache:
  key:
    files:
      - package-lock.json
  paths:
    - .npm/

test:
  stage: test
  script:
    - npm ci --cache .npm --prefer-offline
    - npm test
`

/** Builds an image from the Dockerfile and pushes it to the registry. */
const docker = `\
docker-build:
  image: docker:cli
  stage: build
  services:
    - docker:dind
  variables:
    DOCKER_IMAGE_NAME: $CI_REGISTRY_IMAGE:$CI_COMMIT_REF_SLUG
  before_script:
    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" "$CI_REGISTRY"
  script:
    - docker build --pull -t "$DOCKER_IMAGE_NAME" .
    - docker push "$DOCKER_IMAGE_NAME"
  rules:
    - if: $CI_COMMIT_BRANCH
      exists:
        - Dockerfile
`

/** A shell pipeline in three stages, to begin with. */
const bash = `\
image: busybox:latest

before_script:
  - echo "Before each job"

after_script:
  - echo "After each job"

build1:
  stage: build
  script:
    - echo "Build the application here"

test1:
  stage: test
  script:
    - echo "Run a test here"

test2:
  stage: test
  script:
    - echo "Run another test here"

deploy1:
  stage: deploy
  script:
    - echo "Deploy here"
  environment: production
`

const SUFFIX = CI_CONFIG_FILE

/** Configurations that come with the instance, by name without the usual ending. */
const templates: ReadonlyMap<string, string> = new Map([
  ...Object.entries(languages),
  ...Object.entries(moreLanguages),
  ['Bash', bash],
  ['Docker', docker],
  ['Nodejs', nodejs],
  ['Pages/HTML', pages],
  ['Python', python],
  ['Workflows/Branch-Pipelines', workflows.branches],
  ['Workflows/MergeRequest-Pipelines', workflows.mergeRequests],
])

/** The text of a template, or nothing; the ending may be left out. */
export function templateNamed(name: string): string | undefined {
  return templates.get(name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name)
}

/** Names of all templates as they are included. */
export function templateNames(): string[] {
  return [...templates.keys()].sort().map((name) => name + SUFFIX)
}
