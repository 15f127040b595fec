import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { HOST_A, HOST_A_JOBS_LIMIT } from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { hostImportJob } from '../hosts/run.ts'
import { githubAddress, GITHUB } from './client/address.ts'
import { GithubClient } from './client/client.ts'
import { runGists } from './gists.ts'
import { deniedSentence } from './refusals.ts'
import { STAGES } from './stages/index.ts'
import type { Work } from './work.ts'

/** Fills a project from GitHub. */
export const importGithub = hostImportJob<Work>('host_imports.host_a', {
  connect: (ctx, { hostname }, connection) => {
    const address = githubAddress(hostname ?? undefined) ?? GITHUB
    return {
      client: new GithubClient(ctx, address, connection),
      identity_provider: address.isPublic ? HOST_A : null,
    }
  },
  stages: STAGES,
  stageStart: { page: null, counted: false, issuable: null },
  denied: deniedSentence(),
  limit: (ctx) => Math.max(1, settingsOf(ctx)[HOST_A_JOBS_LIMIT]),
})

/** Creates snippets from the gists of a user. */
export const importGists: Job<{ user_id: number }> = job(
  'host_imports.gists',
  { args: { user_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { user_id }) => runGists(ctx, user_id, importGists),
)

export const jobs = [importGithub, importGists]
