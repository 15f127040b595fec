import { pointerOf, MIN_POINTER_BYTES, type Pointer } from '../../lib/lfs.ts'
import { git, option, sha } from '../args.ts'
import { nulBatches } from '../parse.ts'
import { EXCLUDE_KNOWN, type PushedObjects } from '../transport/pushed.ts'
import { open, run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The limit for the size of a pointer in bytes. All clients write shorter ones. */
const MAX_BYTES = 200
/** The number of candidates that one process reads. */
const BATCH_SIZE = 5000
const LINE_END = 10

/**
 * The LFS pointers among the objects of a push in quarantine. Without a quarantine: among the objects that are reachable
 * from the tips, but not from a branch or tag. One process lists small blobs, and others read them in batches.
 */
export async function newPointers(repo: Repo, pushed: PushedObjects): Promise<Map<string, Pointer>> {
  const pointers = new Map<string, Pointer>()
  if (pushed.tips.length === 0) return pointers
  const ids = pushed.env?.['GIT_QUARANTINE_PATH']
    ? smallInQuarantine(repo, pushed)
    : smallInWalk(repo, pushed)
  let batch: string[] = []
  for await (const id of ids) {
    batch.push(id)
    if (batch.length < BATCH_SIZE) continue
    await readPointers(repo, pushed, batch, pointers)
    batch = []
  }
  if (batch.length > 0) await readPointers(repo, pushed, batch, pointers)
  return pointers
}

/** Lists the small blobs of the push, without a walk through the history. */
async function* smallInQuarantine(repo: Repo, pushed: PushedObjects): AsyncGenerator<string> {
  const env = { ...pushed.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' }
  const format = option('--batch-check', '%(objecttype) %(objectsize) %(objectname)')
  const args = git`cat-file --batch-all-objects --unordered --buffer ${format}`
  const stream = await open(repo, 'push.small_blobs', args, { env, signal: pushed.signal })
  for await (const lines of nulBatches(stream.stdout, LINE_END)) {
    for (const line of lines) {
      const [, size, id] = /^blob (\d+) ([0-9a-f]+)$/.exec(line.toString('latin1')) ?? []
      if (id !== undefined && Number(size) >= MIN_POINTER_BYTES && Number(size) < MAX_BYTES) yield id
    }
  }
  await stream.done
}

async function* smallInWalk(repo: Repo, pushed: PushedObjects): AsyncGenerator<string> {
  const filter = option('--filter', `combine:object:type=blob+blob:limit=${MAX_BYTES}`)
  const args = git`rev-list --objects --no-object-names ${filter} --filter-provided-objects --stdin ${EXCLUDE_KNOWN}`
  const input = pushed.tips.map((tip) => `${sha(tip).text}\n`).join('')
  const stream = await open(repo, 'push.small_blobs', args, { input, env: pushed.env, signal: pushed.signal })
  for await (const lines of nulBatches(stream.stdout, LINE_END))
    for (const line of lines) if (line.length >= 40) yield line.toString('latin1')
  await stream.done
}

async function readPointers(
  repo: Repo,
  { env, signal }: PushedObjects,
  ids: readonly string[],
  pointers: Map<string, Pointer>,
): Promise<void> {
  const input = ids.map((id) => `${id}\n`).join('')
  const maxBytes = ids.length * (MAX_BYTES + 100)
  const options = { input, env, signal, maxBytes }
  const { stdout } = await run(repo, 'push.pointers', git`cat-file --batch --buffer`, options)
  let at = 0
  while (at < stdout.length) {
    const end = stdout.indexOf(LINE_END, at)
    const size = Number(stdout.toString('latin1', at, end).split(' ')[2])
    if (end < 0 || !Number.isInteger(size)) return
    const pointer = pointerOf(stdout.subarray(end + 1, end + 1 + size))
    if (pointer) pointers.set(pointer.oid, pointer)
    at = end + 1 + size + 1
  }
}
