export { inRepository, translateGitError as translate } from '../projects/index.ts'
