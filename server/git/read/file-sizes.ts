import { git, sha } from '../args.ts'
import { nulBatches } from '../parse.ts'
import { open } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** A file of a commit with its size in bytes. */
export interface SizedFile {
  readonly id: string
  readonly path: string
  readonly size: number
}

const LINE = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s

/** Yields all regular files of a commit or tree in batches, without symbolic links and submodules. */
export async function* filesWithSizes(
  repo: Repo,
  tree: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<SizedFile[]> {
  const stream = await open(repo, 'tree.sizes', git`ls-tree -r -l -z --full-tree ${sha(tree)}`, options)
  for await (const batch of nulBatches(stream.stdout)) {
    yield batch.flatMap((record) => {
      const [, id, size, path] = LINE.exec(record.toString('utf8')) ?? []
      return id === undefined ? [] : [{ id, path: path!, size: Number(size) }]
    })
  }
  await stream.done
}
