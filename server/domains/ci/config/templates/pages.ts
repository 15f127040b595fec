/** Publishes the files of the folder \`public\` as they are. */
export const pages = `\
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
