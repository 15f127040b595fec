import { remoteHead } from '../../../../git/fetch-all.ts'
import { fetchRefs } from '../../../../git/fetch-refs.ts'
import type { Remote } from '../../../../git/remote.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import { fillWiki } from '../../../wikis/index.ts'
import { HostProblem } from '../client/problems.ts'
import { noteFailure, type Work } from '../work.ts'

const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** Clones the wiki, if there is one. That it cannot be had is no reason to do without the rest. */
export async function importWiki(work: Work, project: Project, remote: Remote): Promise<void> {
  const { ctx, signal } = work
  // A wiki that nobody wrote in has no repository there.
  const head = await remoteHead(repoOf(ctx, project), remote, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  if (head === undefined) return
  try {
    await fillWiki(ctx, { project }, async (repo) => {
      await fetchRefs(repo, remote, REFSPECS, { signal })
      return { head }
    })
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn({ err: error, project_id: project.id }, 'a wiki could not be cloned')
    noteFailure(work, 'wiki', new HostProblem(0, 'The wiki could not be cloned.'))
  }
}
