/** A shell pipeline in three stages, to begin with. */
export const bash = `\
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
