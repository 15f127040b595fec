import type { Ctx } from '../../../ctx.ts'
import { failuresOf } from '../../import_export/index.ts'
import { LandingError } from '../hosts/landing/index.ts'
import { hostImportJob } from '../hosts/run.ts'
import { bitbucketServerAddress, BitbucketServerClient, DENIED } from './client.ts'
import { activities } from './stages/activities.ts'
import { pullRequests } from './stages/pull-requests.ts'
import { repository } from './stages/repository.ts'
import type { Work } from './work.ts'

/** The maximum number of failures that the error of an import lists. */
const MAX_ERRORS = 100

/** The recorded failures as JSON (spec administration 6.10); null without any. */
function errorsOf(ctx: Ctx, projectId: number): string | null {
  const { rows } = failuresOf(ctx.db, { project_id: projectId }, { limit: MAX_ERRORS, offset: 0 })
  if (rows.length === 0) return null
  const errors = rows.map((row) => ({
    type: row.relation_name,
    source: row.source,
    errors: row.exception_message,
  }))
  return JSON.stringify({ message: 'The remote data could not be fully imported.', errors })
}

/** Imports a repository from Bitbucket Server. */
export const importBitbucketServer = hostImportJob<Work>('host_imports.host_b', {
  connect: (ctx, { url, username }, connection) => {
    const address = bitbucketServerAddress(url)
    if (!address) throw new LandingError('The address of the other host is invalid.')
    return { client: new BitbucketServerClient(ctx, address, { username, ...connection }) }
  },
  stages: [repository, pullRequests, activities],
  stageCursor: { start: 0 },
  deniedMessage: DENIED,
  errorsOf,
})

export const jobs = [importBitbucketServer]
