import { GitError } from '../../../git/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'

/** Ends an import with a message for users, which becomes the `import_error` unchanged. */
export class ImportFailure extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'ImportFailure'
  }
}

const MAX_REASON = 500
const UNKNOWN = 'The import could not be completed because of an error of this instance.'

/** An error as a sentence for people: without folders of this machine, credentials and stacks. */
export function reasonOf(error: unknown, unknown = UNKNOWN): string {
  return cleaned(sentenceOf(error) ?? unknown)
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ImportFailure) return error.message
  if (isForbidden(error)) return 'Requests to the local network are not allowed.'
  if (error instanceof Failure && typeof error.detail === 'string') return error.detail
  if (error instanceof GitError) {
    if (error.reason === 'timeout') return 'The import took too long.'
    return saidByGit(error.stderr)
  }
  return error instanceof Error ? saidByGit(error.message) : undefined
}

/** The readable lines of git's output. */
function saidByGit(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => /^(fatal|error|remote):/.test(line))
  return lines.length > 0 ? lines.join(' ') : undefined
}

/** True if outgoing requests to the destination are forbidden. */
export function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return error instanceof ForbiddenDestination || cause instanceof ForbiddenDestination
}

/** Removes credentials in URLs and local paths from a message. */
export function cleaned(sentence: string): string {
  return sentence
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, (address) => withoutCredentials(address))
    .replace(/'?(?:\/|[A-Z]:\\)[^\s'"]*@hashed[^\s'"]*'?/g, 'the repository')
    .slice(0, MAX_REASON)
}
