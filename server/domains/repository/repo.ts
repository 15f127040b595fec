import { inRepository as work, translateGitError } from '../projects/index.ts'

/** Works on the repository of a project and turns what git reports into failures of the API. */
export const inRepository = work

/** What a failure of git means to the caller of the API; anything unknown stays as it is. */
export const translate = translateGitError
