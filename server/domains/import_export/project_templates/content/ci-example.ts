import type { ProjectTemplate } from '../template.ts'

/** A pipeline that shows the features of pipelines. Its jobs need a shell only. */
export const ciExample: ProjectTemplate = {
  title: 'Pipeline to learn from',
  description:
    'Stages, needs, artifacts, rules, a matrix, a test report and a job by hand, in one commented file.',
  files: {
    'README.md': `# {{name}}

Open \`.gitlab-ci.yml\` and the pipeline page next to it. Every job needs nothing but a shell, so each runner can do it.

| Job | What it shows |
|---|---|
| \`compile\` | leaves a file for later jobs (artifacts) |
| \`unit\` | begins as soon as \`compile\` is done (needs), and writes a report of tests |
| \`systems\` | one job for each of a few values (matrix) |
| \`lint\` | may fail without stopping the others |
| \`deploy\` | waits until a user starts it, and belongs to an environment |
`,
    '.gitignore': `out/
`,
    '.gitlab-ci.yml': `# Stages come one after the other; jobs of a stage run side by side.
stages: [build, test, deploy]

# What all jobs know.
variables:
  GREETING: Hello

compile:
  stage: build
  script:
    - mkdir -p out
    - echo "$GREETING from $CI_COMMIT_SHORT_SHA" > out/greeting.txt
  # Later jobs find these files, and people can download them.
  artifacts:
    paths:
      - out
    expire_in: 1 day

unit:
  stage: test
  # Does not wait for the whole stage before, only for this job.
  needs: [compile]
  script:
    - sh scripts/test.sh out/greeting.txt > report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml

systems:
  stage: test
  needs: []
  parallel:
    matrix:
      - SYSTEM: [one, two]
        SIZE: [small, large]
  script:
    - echo "Trying $SYSTEM, $SIZE"

lint:
  stage: test
  needs: []
  allow_failure: true
  script:
    - grep -rn "mend me" scripts && exit 1 || echo "Nothing left to mend"

deploy:
  stage: deploy
  script:
    - cat out/greeting.txt
  environment:
    name: production
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual
`,
    'scripts/test.sh': `#!/bin/sh
# Checks a greeting, and says what it found as a report of tests.
if grep -q Hello "$1"; then
  result=''
  failures=0
else
  result='<failure message="no greeting"/>'
  failures=1
fi
echo "<testsuite name=\\"greeting\\" tests=\\"1\\" failures=\\"$failures\\">"
echo "<testcase classname=\\"greeting\\" name=\\"says hello\\" time=\\"0.01\\">$result</testcase>"
echo "</testsuite>"
exit "$failures"
`,
  },
}
