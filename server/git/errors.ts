/** The reason why a git command failed. */
export type GitFailure = 'exit' | 'killed' | 'timeout' | 'output_limit' | 'spawn' | 'unexpected_output'

interface GitErrorDetails {
  readonly operation: string
  readonly args: readonly string[]
  readonly reason: GitFailure
  readonly code?: number | null
  readonly stderr?: string
  readonly message?: string
}

/** A git command failed although its input was valid: a damaged repository, a full disk, a time limit. */
export class GitError extends Error {
  override readonly name = 'GitError'
  /** The purpose of the command, such as `tags.create`. */
  readonly operation: string
  readonly args: readonly string[]
  readonly reason: GitFailure
  /** The exit code; null if the process did not exit by itself. */
  readonly code: number | null
  /** The end of git's error output. */
  readonly stderr: string

  constructor(details: GitErrorDetails) {
    const stderr = details.stderr ?? ''
    super(details.message ?? describe(details, stderr))
    this.operation = details.operation
    this.args = details.args
    this.reason = details.reason
    this.code = details.code ?? null
    this.stderr = stderr
  }

  /** True when the repository itself is missing or unreadable, not only an object in it. */
  get isRepositoryMissing(): boolean {
    return /not a git repository|does not appear to be a git repository/i.test(this.stderr)
  }
}

function describe(details: GitErrorDetails, stderr: string): string {
  const first = stderr.split('\n').find((line) => line.trim() !== '')
  const ending = first === undefined ? '' : `: ${first.trim()}`
  switch (details.reason) {
    case 'timeout':
      return `Git took too long for ${details.operation}.`
    case 'output_limit':
      return `Git wrote more output than allowed for ${details.operation}.`
    case 'spawn':
      return `Git could not be started for ${details.operation}${ending}`
    case 'killed':
      return `Git was stopped during ${details.operation}${ending}`
    case 'unexpected_output':
      return `Git wrote something unexpected for ${details.operation}.`
    case 'exit':
      return `Git failed with code ${details.code ?? 'unknown'} for ${details.operation}${ending}`
  }
}

/** An invalid name, path or value from a caller. It never reaches git, and the answer is a 4xx. */
export class GitInputError extends Error {
  override readonly name = 'GitInputError'
  readonly kind = 'bad_input'
}

export type RefUpdateProblem =
  | 'changed'
  | 'exists'
  | 'missing'
  | 'name_conflict'
  | 'missing_object'
  | 'locked'

/**
 * A ref transaction was refused and changed nothing. `changed`, `exists` and `missing`: the ref does not have the
 * expected old value. `name_conflict`: `a` and `a/b` cannot both exist. `locked`: another writer holds the ref.
 */
export class GitRefError extends Error {
  override readonly name = 'GitRefError'
  readonly kind = 'conflict'
  readonly problem: RefUpdateProblem
  readonly ref: string | null

  constructor(problem: RefUpdateProblem, ref: string | null, message: string) {
    super(message)
    this.problem = problem
    this.ref = ref
  }
}

export type ActionProblem =
  | 'file_exists'
  | 'file_missing'
  | 'folder_exists'
  | 'not_a_folder'
  | 'invalid_path'
  | 'invalid_content'
  | 'no_base'

const ACTION_MESSAGES: Readonly<Record<ActionProblem, string>> = {
  file_exists: 'A file with this name already exists',
  file_missing: "A file with this name doesn't exist",
  folder_exists: 'A directory with this name already exists',
  not_a_folder: 'A file is in place of a directory of the path',
  invalid_path: 'The file path is invalid',
  invalid_content: 'Git does not accept the content of this file',
  no_base: 'The commit to start from does not exist',
}

/** A requested change does not fit the current tree, or would create a tree that git does not accept. */
export class GitActionError extends Error {
  override readonly name = 'GitActionError'
  readonly kind = 'bad_input'
  readonly problem: ActionProblem
  /** The requested path; empty if git does not name it. */
  readonly path: string

  constructor(problem: ActionProblem, path: string) {
    super(ACTION_MESSAGES[problem])
    this.problem = problem
    this.path = path
  }
}
