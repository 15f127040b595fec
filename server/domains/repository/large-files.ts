import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'

import type { Ctx } from '../../ctx.ts'
import { readBlob } from '../../git/read/blob.ts'
import type { Repo } from '../../git/types.ts'
import { MAX_POINTER_BYTES, MIN_POINTER_BYTES, pointerOf, type Pointer } from '../../lib/lfs.ts'
import { isLfsStored, keepsLargeFiles, lfsFile, linkedLfsObjects } from '../storage/index.ts'
import type { Project } from '../projects/index.ts'

/**
 * The large file that a blob stands for, where it is one that the project refers to and that is here: a pointer alone, which
 * anybody can write, leads to nothing. `type` is 1 for the wiki.
 */
export async function largeFileOf(
  ctx: Ctx,
  project: Project,
  repo: Repo,
  blob: { readonly id: string; readonly size: number },
  type: 0 | 1 = 0,
): Promise<Pointer | undefined> {
  if (blob.size < MIN_POINTER_BYTES || blob.size > MAX_POINTER_BYTES) return undefined
  if (!keepsLargeFiles(ctx, project)) return undefined
  const content = (await readBlob(repo, blob.id))?.content
  const pointer = content && pointerOf(content)
  const size = pointer && linkedLfsObjects(ctx.db, project.id, type, [pointer.oid]).get(pointer.oid)
  if (!pointer || size === undefined) return undefined
  const file = { oid: pointer.oid, size }
  return (await isLfsStored(ctx.config, file)) ? file : undefined
}

/** The content of a large file. */
export function openLargeFile({ config }: Ctx, { oid }: Pointer, signal: AbortSignal): Readable {
  return createReadStream(lfsFile(config, oid), { signal })
}
