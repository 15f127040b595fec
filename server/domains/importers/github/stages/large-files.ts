import { rm } from 'node:fs/promises'

import { largeFilesIn } from '../../../../git/read/large-files.ts'
import { isOid, type Pointer } from '../../../../lib/lfs.ts'
import { addStats, markedId } from '../../../import_export/index.ts'
import { addLink as addLfsLink, adoptObject, isLfsStored } from '../../../storage/index.ts'
import { projectById, repoOf } from '../../../projects/index.ts'
import { recordIn, records, text, type Fields, HostError } from '../../hosts/answers.ts'
import { download } from '../download.ts'
import { checkNotCanceled, storeCursor, reportProgress } from '../../hosts/work.ts'
import { repoPath, importRecord, type Work, type Stage } from '../work.ts'
import { remoteOf } from './repository.ts'

const BATCH = 100
const MAX_FILE_BYTES = 50 * 1024 ** 3
const MEDIA_TYPE = 'application/vnd.git-lfs+json'
const STAT = 'lfs_object'

/** Stage 12: LFS objects of the repository, from GitHub's LFS batch API. */
export const largeFiles: Stage = {
  name: 'lfs_objects',
  async run(work) {
    const project = projectById(work.ctx.db, work.projectId)
    if (!project) return
    const pointers = await largeFilesIn(repoOf(work.ctx, project), { signal: work.signal })
    work.total = pointers.length
    if (pointers.length === 0) return
    const { url, authorization } = await remoteOf(work, await work.client.fetchRecord(repoPath(work)), '.git')
    for (let start = 0; start < pointers.length; start += BATCH) {
      checkNotCanceled(work)
      await importBatch(work, pointers.slice(start, start + BATCH), { url, authorization })
    }
  },
}

interface LfsEndpoint {
  readonly url: string
  readonly authorization?: string | undefined
}

async function importBatch(work: Work, pointers: readonly Pointer[], endpoint: LfsEndpoint): Promise<void> {
  const { ctx, projectId } = work
  // Objects that the instance already has are not downloaded again.
  const isStored = await Promise.all(pointers.map((pointer) => isLfsStored(ctx.config, pointer)))
  const missing = pointers.filter((_pointer, index) => !isStored[index])
  const lfsObjects = missing.length === 0 ? [] : await requestActions(work, missing, endpoint)
  for (const pointer of pointers) {
    const { oid } = pointer
    if (markedId(ctx.db, projectId, STAT, oid) === undefined) addStats(ctx, projectId, 'fetched', STAT)
    await importRecord(work, { stat: STAT, mark: STAT, key: oid, name: `Large file ${oid}` }, () => {
      if (addLfsLink(ctx, projectId, oid, 0)) return projectId
      return fetchObject(
        work,
        pointer,
        lfsObjects.find((object) => text(object, 'oid') === oid),
      )
    })
    storeCursor(work, { done: (work.cursor.done ?? 0) + 1 })
    reportProgress(work)
  }
}

async function requestActions(
  work: Work,
  pointers: readonly Pointer[],
  { url, authorization }: LfsEndpoint,
): Promise<Fields[]> {
  const body = {
    operation: 'download',
    transfers: ['basic'],
    objects: pointers.map(({ oid, size }) => ({ oid, size })),
  }
  const response = await work.ctx.outbound
    .fetch(`${url}/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        accept: MEDIA_TYPE,
        'content-type': MEDIA_TYPE,
        ...(authorization ? { authorization } : {}),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([work.signal, AbortSignal.timeout(60_000)]),
    })
    .catch(() => undefined)
  work.signal.throwIfAborted()
  if (!response?.ok) return []
  const answer = (await response.json().catch(() => null)) as Fields | null
  return records(answer?.['objects'])
}

async function fetchObject(
  work: Work,
  { oid, size }: Pointer,
  lfsObject: Fields | undefined,
): Promise<number | null> {
  const action = recordIn(recordIn(lfsObject ?? null, 'actions'), 'download')
  const href = text(action, 'href')
  if (href === null || !isOid(oid)) throw new HostError(404, 'The other host does not have this file.')
  const entries = Object.entries(recordIn(action, 'header') ?? {})
  const headers = Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >
  const file = await download(work.ctx, href, {
    headers,
    maxBytes: Math.min(size, MAX_FILE_BYTES),
    signal: work.signal,
  })
  try {
    await adoptObject(work.ctx, work.projectId, oid, file.path)
    return work.projectId
  } finally {
    await rm(file.path, { force: true })
  }
}
