import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { BundleProblem, fetchBundle } from '../../../../../../git/bundle.ts'
import { withWriteLock } from '../../../../../../git/repository.ts'
import { ImportFailure } from '../../../../imports/reasons.ts'
import { prepareRepository, repoOf } from '../../../../../projects/index.ts'
import { fillWiki } from '../../../../../wikis/index.ts'
import type { Filling } from './filling.ts'

/** Takes the code over. Gives the branch that the bundle shows first; null without one. Throws ImportFailure for a bad bundle. */
export async function takeRepository(filling: Filling): Promise<string | null> {
  const { ctx, project, folder, signal } = filling
  await prepareRepository(ctx, project)
  const bundle = join(folder, 'project.bundle')
  if (!existsSync(bundle)) return null
  filling.tell('repository')
  const repo = repoOf(ctx, project)
  const { head } = await inBundle('The repository', () =>
    withWriteLock(repo, () => fetchBundle(repo, bundle, { signal })),
  )
  return head
}

/** Takes the wiki over, where the archive has one. */
export async function takeWiki(filling: Filling): Promise<void> {
  const { ctx, project, folder, signal } = filling
  const bundle = join(folder, 'project.wiki.bundle')
  if (!existsSync(bundle)) return
  filling.tell('wiki')
  await inBundle('The wiki', () =>
    fillWiki(ctx, { project }, (repo) => fetchBundle(repo, bundle, { signal })),
  )
}

async function inBundle<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BundleProblem)
      throw new ImportFailure(`${what} could not be taken over. ${error.message}`)
    throw error
  }
}
