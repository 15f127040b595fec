import type { Repo } from '../types.ts'

/** A signed commit or annotated tag. */
export interface SignedObject {
  readonly id: string
  readonly type: 'commit' | 'tag'
  /** What was signed: the object without its signature. */
  readonly payload: Buffer
  /** Armored, as in the object. */
  readonly signature: string
  /** Address of the committer or tagger. */
  readonly email: string
  /** Their time in Unix seconds. */
  readonly time: number
}

/** Objects larger than this are not read for their signature. */
const MAX_BYTES = 8 * 1024 * 1024
/** Longer than any real signature. */
const MAX_SIGNATURE = 128 * 1024
const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/

/** Reads the signature of a commit or an annotated tag by its id; null if there is none. */
export async function readSigned(repo: Repo, id: string): Promise<SignedObject | null> {
  const info = await repo.git.catFiles.info(repo, id)
  if (info === null || info.size > MAX_BYTES || (info.type !== 'commit' && info.type !== 'tag')) return null
  const object = await repo.git.catFiles.contents(repo, id)
  if (object === null) return null
  // latin1 keeps every byte; a message may be in any encoding.
  const text = object.content.toString('latin1')
  const parts = info.type === 'commit' ? ofCommit(text) : ofTag(text)
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

function headOf(text: string): string {
  const end = text.indexOf('\n\n')
  return end < 0 ? text : text.slice(0, end + 1)
}

/** In a commit the signature is a header of several lines; each but the first begins with a blank. */
function ofCommit(text: string): { payload: string; signature: string } | null {
  const head = headOf(text)
  const kept: string[] = []
  const signature: string[] = []
  let target = kept
  for (const line of head.split('\n')) {
    if (line.startsWith(' ')) {
      target.push(target === signature ? line.slice(1) : line)
      continue
    }
    // The signature for the other hash algorithm is not part of the payload and is ignored.
    target = line.startsWith('gpgsig ') ? signature : line.startsWith('gpgsig-sha256 ') ? [] : kept
    target.push(target === signature ? line.slice('gpgsig '.length) : line)
  }
  if (signature.length === 0) return null
  return { payload: kept.join('\n') + text.slice(head.length), signature: signature.join('\n') }
}

/** In a tag the signature is the end of the message, from the last line that begins one. */
function ofTag(text: string): { payload: string; signature: string } | null {
  let at = -1
  for (let start = headOf(text).length; start < text.length;) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end < 0 ? text.length : end)
    if (SIGNATURE.test(line)) at = start
    start = end < 0 ? text.length : end + 1
  }
  return at < 0 ? null : { payload: text.slice(0, at), signature: text.slice(at) }
}
