import type { Commit } from '../read/commits.ts'
import { isoTime } from '../write/identity.ts'
import { isObjectId } from '../names.ts'
import type { Repo } from '../types.ts'
import { withoutEnd } from '../../lib/text/trim.ts'

/** The maximum size in bytes. A git process reads larger commits. */
const MAX_BYTES = 64 * 1024

/**
 * Reads a commit without a new process, which would take a hundred times as long. Returns null when the commit does not
 * exist, or only git can interpret it.
 */
export async function readPlainCommit(repo: Repo, id: string): Promise<Commit | null> {
  if (!isObjectId(id)) return null
  const info = await repo.git.catFiles.info(repo, id)
  if (info?.type !== 'commit' || info.oid !== id || info.size > MAX_BYTES) return null
  const object = await repo.git.catFiles.contents(repo, id)
  return object === null ? null : parsePlainCommit(id, object.content)
}

const HEADER =
  /^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author (.*)\ncommitter (.*)(?:\ngpgsig .*(?:\n .*)*)?$/
/** A name, an email address and a time, as git writes them. */
const PERSON =
  /^([^<>\s](?:[^<>\n]*[^<>\s])?) <([^<>\s]+)> ((?:0|[1-9]\d{0,9}) (?!-0000)[+-](?:0\d|1[0-4])[0-5]\d)$/

/**
 * Parses a simple commit. Returns null for a commit with other headers, an old encoding or possible trailers, which git
 * has to interpret.
 */
export function parsePlainCommit(id: string, content: Buffer): Commit | null {
  const text = content.toString('utf8')
  const end = text.indexOf('\n\n')
  const header = end === -1 ? null : HEADER.exec(text.slice(0, end))
  const body = text.slice(end + 2)
  // oxlint-disable-next-line no-control-regex
  if (header === null || /[\u0000\u000b\u000c\ufffd]/.test(text) || !/^\S/.test(body)) return null
  const [, tree_id = '', parents = '', author = '', committer = ''] = header
  const [authorParts, committerParts] = [PERSON.exec(author), PERSON.exec(committer)]
  if (authorParts === null || committerParts === null) return null
  const lines = body.split('\n').map((line) => line.replace(/[ \t\r]+$/, ''))
  const blank = lines.indexOf('')
  const rest = blank === -1 ? '' : lines.slice(blank).join('\n')
  if (rest.includes(':') || rest.includes('(cherry picked')) return null
  return {
    id,
    tree_id,
    parent_ids: parents === '' ? [] : parents.trimEnd().replaceAll('parent ', '').split('\n'),
    title: (blank === -1 ? lines : lines.slice(0, blank)).join(' '),
    message: withoutEnd(body, '\n'),
    author_name: authorParts[1]!,
    author_email: authorParts[2]!,
    authored_date: isoTime(authorParts[3]!),
    committer_name: committerParts[1]!,
    committer_email: committerParts[2]!,
    committed_date: isoTime(committerParts[3]!),
    trailers: [],
  }
}
