import { git, option, sha } from '../args.ts'
import { nulBatches } from '../parse.ts'
import { EXCLUDE_KNOWN, type PushedObjects } from './pushed.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** A new commit of a push, with the fields that push rules check. */
export interface PushedCommit {
  readonly id: string
  readonly message: string
  readonly author_email: string
  readonly committer_name: string
  readonly committer_email: string
  /** The paths that no parent has. Empty unless requested. */
  readonly added: readonly string[]
}

const FIELDS = ['%H', '%ae', '%cn', '%ce', '%B']
const ID = /^[0-9a-f]{40,64}$/
const ADDED = /^A+$/

/** Yields the new commits in batches, newest first, from one process. With `added`, their trees are compared too. */
export async function* newCommitsInBatches(
  repo: Repo,
  pushed: PushedObjects,
  { added }: { added: boolean },
): AsyncGenerator<PushedCommit[]> {
  if (pushed.tips.length === 0) return
  const format = option('--format', FIELDS.map((field) => `${field}%x00`).join(''))
  const diff = added ? git`--name-status -c --no-renames --no-ext-diff` : git`--no-patch`
  const args = git`log -z ${format} ${diff} --stdin ${EXCLUDE_KNOWN}`
  const stream = await open(repo, 'push.walk', args, runOptions(pushed))
  const reader = new CommitReader()
  for await (const records of nulBatches(stream.stdout)) yield reader.read(records)
  yield reader.end()
  await stream.done
}

/** Combines records to commits. The fields of a commit are followed by pairs of a status and a path. */
class CommitReader {
  #fields: string[] = []
  #added: string[] = []
  #status: string | undefined

  /** Reads records and returns the commits that are complete. */
  read(records: readonly Buffer[]): PushedCommit[] {
    const complete: PushedCommit[] = []
    for (const record of records) {
      const text = record.toString('utf8')
      if (this.#fields.length > 0 && this.#fields.length < FIELDS.length) this.#fields.push(text)
      else if (this.#status !== undefined) this.#addPath(text)
      else if (ID.test(text)) {
        complete.push(...this.end())
        this.#fields = [text]
        // Between the fields and the paths, git may write a line end.
      } else this.#status = text.trimStart() || undefined
    }
    return complete
  }

  #addPath(path: string): void {
    if (ADDED.test(this.#status!)) this.#added.push(path)
    this.#status = undefined
  }

  /** Returns the last commit, which is complete when no more records follow. */
  end(): PushedCommit[] {
    if (this.#fields.length === 0) return []
    const [id, author_email, committer_name, committer_email, message] = this.#fields
    const added = this.#added
    this.#fields = []
    this.#added = []
    return [
      {
        id: id!,
        message: message ?? '',
        author_email: author_email ?? '',
        committer_name: committer_name ?? '',
        committer_email: committer_email ?? '',
        added,
      },
    ]
  }
}

const SIGNATURE = /^gpgsig(-sha256)? /m

/** The first new commit without any signature; undefined when all are signed. */
export async function firstUnsigned(repo: Repo, pushed: PushedObjects): Promise<string | undefined> {
  if (pushed.tips.length === 0) return undefined
  const stream = await open(
    repo,
    'push.signatures',
    git`rev-list --header --stdin ${EXCLUDE_KNOWN}`,
    runOptions(pushed),
  )
  let unsigned: string | undefined
  for await (const records of nulBatches(stream.stdout)) {
    unsigned = records.map(unsignedId).find((id) => id !== undefined)
    if (unsigned === undefined) continue
    stream.stop()
    break
  }
  await stream.done
  return unsigned
}

/** The id of a commit without a signature; undefined for a signed one. The id precedes the header of the commit. */
function unsignedId(record: Buffer): string | undefined {
  const end = record.indexOf('\n\n')
  const head = record.toString('latin1', 0, end < 0 ? record.length : end)
  return head.trim() === '' || SIGNATURE.test(head) ? undefined : head.slice(0, head.indexOf('\n'))
}

function runOptions({ tips, env, signal }: PushedObjects) {
  return { input: tips.map((tip) => `${sha(tip).text}\n`).join(''), env, signal }
}
