import { open } from 'node:fs/promises'

import { isObjectId } from '../names.ts'

/** A bundle cannot be imported. The message is a sentence for the user who sent it. */
export class BundleProblem extends Error {
  override readonly name = 'BundleProblem'
}

/** The head of a bundle: its refs, and the offset of its objects. */
export interface BundleHead {
  /** The object ids of the refs, by name. */
  readonly refs: ReadonlyMap<string, string>
  /** The number of bytes before the objects. */
  readonly packOffset: number
}

const SIGNATURE = /^# v[23] git bundle$/
const MAX_LINE = 8192
const MAX_REFS = 1_000_000
const CHUNK = 64 * 1024
const LINE_FEED = 10

/**
 * Reads the head of a bundle. Throws BundleProblem when the file is not a bundle, or needs the commits of another
 * repository.
 */
export async function readBundleHead(file: string): Promise<BundleHead> {
  const refs = new Map<string, string>()
  let packOffset = 0
  let isFirst = true
  for await (const line of linesOf(file)) {
    packOffset += line.length + 1
    const text = line.toString('utf8')
    if (isFirst && !SIGNATURE.test(text)) break
    isFirst = false
    if (text === '') return { refs, packOffset }
    readLine(text, refs)
    if (refs.size > MAX_REFS) throw new BundleProblem('The bundle has too many refs.')
  }
  throw new BundleProblem(isFirst ? 'The file is not a bundle.' : 'The bundle is cut off.')
}

function readLine(text: string, refs: Map<string, string>): void {
  if (SIGNATURE.test(text) || text === '@object-format=sha1') return
  if (text.startsWith('-')) throw new BundleProblem('The bundle needs commits that it does not have.')
  if (text.startsWith('@')) throw new BundleProblem('The bundle is of a kind that is not supported.')
  const [id = '', ...name] = text.split(' ')
  if (!isObjectId(id) || id.length !== 40 || name.length === 0)
    throw new BundleProblem('The bundle is damaged.')
  refs.set(name.join(' '), id)
}

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file)
  try {
    let buffered: Buffer = Buffer.alloc(0)
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null)
      if (bytesRead === 0) return
      buffered = Buffer.concat([buffered, buffer.subarray(0, bytesRead)])
      let start = 0
      for (let end = buffered.indexOf(LINE_FEED); end !== -1; end = buffered.indexOf(LINE_FEED, start)) {
        yield buffered.subarray(start, end)
        start = end + 1
      }
      buffered = buffered.subarray(start)
      if (buffered.length > MAX_LINE) throw new BundleProblem('The file is not a bundle.')
    }
  } finally {
    await handle.close()
  }
}
