import { git, option, sha } from '../args.ts'
import { nulBatches } from '../parse.ts'
import { KNOWN, type PushedObjects } from './pushed.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** A new commit of a push, with what push rules check. */
export interface PushedCommit {
  readonly id: string
  readonly message: string
  readonly author_email: string
  readonly committer_name: string
  readonly committer_email: string
  /** Paths that no parent has. Empty unless requested. */
  readonly added: readonly string[]
}

const FIELDS = ['%H', '%ae', '%cn', '%ce', '%B']
const ID = /^[0-9a-f]{40,64}$/
const ADDED = /^A+$/

/** Yields the new commits in batches, newest first, from one process. `added` also compares their trees. */
export async function* newCommitsInBatches(
  repo: Repo,
  from: PushedObjects,
  { added }: { added: boolean },
): AsyncGenerator<PushedCommit[]> {
  if (from.tips.length === 0) return
  const format = option('--format', FIELDS.map((field) => `${field}%x00`).join(''))
  const diff = added ? git`--name-status -c --no-renames --no-ext-diff` : git`--no-patch`
  const args = git`log -z ${format} ${diff} --stdin ${KNOWN}`
  const stream = await open(repo, 'push.walk', args, inputOf(from))
  const reader = new Reader()
  for await (const records of nulBatches(stream.stdout)) yield reader.take(records)
  yield reader.end()
  await stream.done
}

/** Joins records to commits: the fields, followed by pairs of a status and a path. */
class Reader {
  #fields: string[] = []
  #added: string[] = []
  #status: string | undefined

  take(records: readonly Buffer[]): PushedCommit[] {
    const done: PushedCommit[] = []
    for (const record of records) {
      const text = record.toString('utf8')
      if (this.#fields.length > 0 && this.#fields.length < FIELDS.length) this.#fields.push(text)
      else if (this.#status !== undefined) this.#path(text)
      else if (ID.test(text)) {
        done.push(...this.end())
        this.#fields = [text]
        // Between fields and paths git writes nothing, or a line end before the first status.
      } else this.#status = text.trimStart() || undefined
    }
    return done
  }

  #path(path: string): void {
    if (ADDED.test(this.#status!)) this.#added.push(path)
    this.#status = undefined
  }

  /** The commit that is still being read. */
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
export async function firstUnsigned(repo: Repo, from: PushedObjects): Promise<string | undefined> {
  if (from.tips.length === 0) return undefined
  const stream = await open(repo, 'push.signatures', git`rev-list --header --stdin ${KNOWN}`, inputOf(from))
  let found: string | undefined
  for await (const records of nulBatches(stream.stdout)) {
    found = records.map(unsigned).find((id) => id !== undefined)
    if (found === undefined) continue
    stream.stop()
    break
  }
  await stream.done
  return found
}

/** The commit's id, which precedes its header, unless the header has a signature. */
function unsigned(record: Buffer): string | undefined {
  const end = record.indexOf('\n\n')
  const head = record.toString('latin1', 0, end < 0 ? record.length : end)
  return head.trim() === '' || SIGNATURE.test(head) ? undefined : head.slice(0, head.indexOf('\n'))
}

function inputOf({ tips, env, signal }: PushedObjects) {
  return { input: tips.map((tip) => `${sha(tip).text}\n`).join(''), env, signal }
}
