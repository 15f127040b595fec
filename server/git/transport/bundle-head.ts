import { open } from 'node:fs/promises'

import { BundleProblem } from './bundle-problem.ts'
import { isObjectId } from '../names.ts'

/** The head of a bundle: its refs, and where its objects begin. */
export interface BundleHead {
  /** Ids by name. */
  readonly refs: ReadonlyMap<string, string>
  /** Bytes before the objects. */
  readonly packAt: number
}

const SIGNATURE = /^# v[23] git bundle$/
const MAX_LINE = 8192
const MAX_REFS = 1_000_000
const CHUNK = 64 * 1024
const LINE_FEED = 10

/**
 * Reads the head of a bundle. Throws BundleProblem when the file is no bundle, or is incomplete without another
 * repository.
 */
export async function readBundleHead(file: string): Promise<BundleHead> {
  const refs = new Map<string, string>()
  let packAt = 0
  let isFirst = true
  for await (const line of linesOf(file)) {
    packAt += line.length + 1
    const text = line.toString('utf8')
    if (isFirst && !SIGNATURE.test(text)) break
    isFirst = false
    if (text === '') return { refs, packAt }
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
    let held: Buffer = Buffer.alloc(0)
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null)
      if (bytesRead === 0) return
      held = Buffer.concat([held, buffer.subarray(0, bytesRead)])
      let start = 0
      for (let end = held.indexOf(LINE_FEED); end !== -1; end = held.indexOf(LINE_FEED, start)) {
        yield held.subarray(start, end)
        start = end + 1
      }
      held = held.subarray(start)
      if (held.length > MAX_LINE) throw new BundleProblem('The file is not a bundle.')
    }
  } finally {
    await handle.close()
  }
}
