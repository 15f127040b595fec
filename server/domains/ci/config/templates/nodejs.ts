/** Installs packages and runs the tests of a Node project. */
export const nodejs = `\
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
