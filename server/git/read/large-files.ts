import { createInterface } from 'node:readline'

import { MAX_POINTER_BYTES, MIN_POINTER_BYTES, pointerOf, type Pointer } from '../../lib/lfs.ts'
import { git, option } from '../args.ts'
import { isObjectId } from '../names.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The number of blobs that one process reads. Each has at most the size of a pointer. */
const BATCH = 2000
const TIMEOUT_MS = 3600_000

type Options = { readonly signal?: AbortSignal }

/** The LFS objects of all reachable pointers, each once. Throws GitError. */
export async function largeFilesIn(repo: Repo, options: Options = {}): Promise<Pointer[]> {
  const pointers = new Map<string, Pointer>()
  const small = option('--filter', `blob:limit=${MAX_POINTER_BYTES + 1}`)
  const args = git`rev-list --objects --no-object-names --all ${small}`
  const stream = await open(repo, 'blobs.small', args, {
    pool: 'transfer',
    timeoutMs: TIMEOUT_MS,
    ...options,
  })
  let batch: string[] = []
  for await (const line of createInterface({ input: stream.stdout })) {
    if (isObjectId(line)) batch.push(line)
    if (batch.length < BATCH) continue
    await collect(repo, batch, pointers, options)
    batch = []
  }
  await stream.done
  if (batch.length > 0) await collect(repo, batch, pointers, options)
  return [...pointers.values()]
}

async function collect(
  repo: Repo,
  ids: readonly string[],
  pointers: Map<string, Pointer>,
  options: Options,
): Promise<void> {
  const likely = await likelyPointers(repo, ids, options)
  if (likely.length === 0) return
  const input = likely.map((id) => `${id}\n`).join('')
  const { stdout } = await run(repo, 'blobs.read_small', git`cat-file --batch`, { input, ...options })
  for (const content of contents(stdout)) {
    const pointer = pointerOf(content)
    if (pointer) pointers.set(pointer.oid, pointer)
  }
}

/** The ids of blobs with the size of a pointer. */
async function likelyPointers(repo: Repo, ids: readonly string[], options: Options): Promise<string[]> {
  const input = ids.map((id) => `${id}\n`).join('')
  const { stdout } = await run(repo, 'blobs.check_small', git`cat-file --batch-check`, { input, ...options })
  return stdout
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [id, type, size] = line.split(' ')
      const isLikely =
        type === 'blob' && Number(size) >= MIN_POINTER_BYTES && Number(size) <= MAX_POINTER_BYTES
      return isLikely ? [id!] : []
    })
}

/** Yields the contents of a batch. A line with id, type and size precedes each content, and a line end follows it. */
function* contents(output: Buffer): Generator<Buffer> {
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at)
    const size = Number(output.toString('latin1', at, end).split(' ')[2])
    if (end < 0 || !Number.isSafeInteger(size)) return
    yield output.subarray(end + 1, end + 1 + size)
    at = end + size + 2
  }
}
