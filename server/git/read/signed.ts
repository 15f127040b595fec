import type { Repo } from '../types.ts'

/** A signed commit or annotated tag. */
export interface SignedObject {
  readonly id: string
  readonly type: 'commit' | 'tag'
  /** The signed bytes: the object without its signature. */
  readonly payload: Buffer
  /** The signature with its armor, as in the object. */
  readonly signature: string
  /** The email address of the committer or tagger. */
  readonly email: string
  /** The committer's or tagger's time in Unix seconds. */
  readonly time: number
}

/** The maximum size of an object in bytes. Larger ones count as unsigned. */
const MAX_BYTES = 8 * 1024 * 1024
/** The maximum length of a signature. Real ones are shorter. */
const MAX_SIGNATURE = 128 * 1024
const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/

/** Reads the signature of a commit or an annotated tag by its id; null if there is none. */
export async function readSigned(repo: Repo, id: string): Promise<SignedObject | null> {
  const info = await repo.git.catFiles.info(repo, id)
  if (info === null || info.size > MAX_BYTES || (info.type !== 'commit' && info.type !== 'tag')) return null
  const object = await repo.git.catFiles.contents(repo, id)
  if (object === null) return null
  // latin1 preserves every byte, because a message may be in any encoding.
  const text = object.content.toString('latin1')
  const parts = info.type === 'commit' ? splitCommit(text) : splitTag(text)
  const person = /^(?:committer|tagger) .*<([^<>\n]*)> (-?\d+) [+-]\d+$/m.exec(headOf(text))
  if (parts === null || person === null || parts.signature.length > MAX_SIGNATURE) return null
  return {
    id: info.oid,
    type: info.type,
    payload: Buffer.from(parts.payload, 'latin1'),
    signature: parts.signature,
    email: Buffer.from(person[1]!, 'latin1').toString('utf8'),
    time: Number(person[2]),
  }
}

/** The ids of the commits among these that have a signature, in the same order. */
export async function signedCommits(repo: Repo, ids: readonly string[]): Promise<string[]> {
  const signed: string[] = []
  for (const id of ids) {
    const object = await repo.git.catFiles.contents(repo, id)
    if (object !== null && /^gpgsig /m.test(headOf(object.content.toString('latin1')))) signed.push(id)
  }
  return signed
}

function headOf(text: string): string {
  const end = text.indexOf('\n\n')
  return end < 0 ? text : text.slice(0, end + 1)
}

/** Splits a commit. Its signature is a header of several lines, of which all but the first begin with a space. */
function splitCommit(text: string): { payload: string; signature: string } | null {
  const head = headOf(text)
  const payload: string[] = []
  const signature: string[] = []
  let target = payload
  for (const line of head.split('\n')) {
    if (line.startsWith(' ')) {
      target.push(target === signature ? line.slice(1) : line)
      continue
    }
    // The signature for the other hash algorithm is not part of the payload and is ignored.
    target = line.startsWith('gpgsig ') ? signature : line.startsWith('gpgsig-sha256 ') ? [] : payload
    target.push(target === signature ? line.slice('gpgsig '.length) : line)
  }
  if (signature.length === 0) return null
  return { payload: payload.join('\n') + text.slice(head.length), signature: signature.join('\n') }
}

/** Splits a tag. Its signature is the end of the message, from the last line that begins a signature. */
function splitTag(text: string): { payload: string; signature: string } | null {
  let at = -1
  for (let start = headOf(text).length; start < text.length;) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end < 0 ? text.length : end)
    if (SIGNATURE.test(line)) at = start
    start = end < 0 ? text.length : end + 1
  }
  return at < 0 ? null : { payload: text.slice(0, at), signature: text.slice(at) }
}
