import { Failure } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { ciAbilities, createPipeline, manualJobsFor, startJob } from '../../ci/index.ts'
import { fullPath, project as scope } from '../../projects/index.ts'
import { aloud, quietly } from './answer.ts'
import type { Command, Said } from './say.ts'

/** Longest arguments that a job is given. */
const MOST_INPUT = 4096

function mayRun({ ctx, project }: Said): boolean {
  return isAble(ctx, scope, ciAbilities.create_pipeline, project, true)
}

/** Starts the one manual job that brings what is in one environment to another. */
const deploy: Command = {
  pattern: /^deploy\s+(?<from>\S{1,255})\s+to\s+(?<to>\S{1,255})$/i,
  usage: 'deploy <environment> to <environment>',
  may: mayRun,
  run: (said, { from, to }) => {
    const { ctx, project, tongue } = said
    const jobs = manualJobsFor(ctx, project, { from: from!, to: to! })
    if (jobs.length === 0) return quietly('No manual job was found that deploys there.')
    const [job, second] = jobs
    if (second)
      return quietly(`Several jobs deploy there: ${jobs.map((one) => tongue.plain(one.name)).join(', ')}.`)
    startJob(ctx, project, job!)
    const url = `${ctx.config.url}/${fullPath(project)}/-/jobs/${job!.id}`
    return aloud(
      `Deployment from ${tongue.plain(from!)} to ${tongue.plain(to!)} ${tongue.link('started', url)}.`,
    )
  },
}

/** Runs one job of the configuration on the default branch, with what was said behind its name. */
const run: Command = {
  pattern: /^run\s+(?<job>\S{1,255})(?:\s+(?<input>[\s\S]+))?$/i,
  usage: 'run <job> <arguments>',
  may: mayRun,
  run: async (said, { job, input = '' }) => {
    const { ctx, project, tongue } = said
    const variables = [
      { key: 'CHAT_INPUT', value: input.slice(0, MOST_INPUT), raw: true },
      { key: 'CHAT_CHANNEL', value: said.channel, raw: true },
      { key: 'CHAT_USER_ID', value: said.chat_user_id, raw: true },
    ]
    try {
      const ref = project.default_branch ?? ''
      const pipeline = await createPipeline(ctx, project, { source: 'chat', ref, only_job: job!, variables })
      const url = `${ctx.config.url}/${fullPath(project)}/-/pipelines/${pipeline.id}`
      return aloud(`Your job was started in ${tongue.link(`pipeline #${pipeline.id}`, url)}.`)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return quietly(`The job ${tongue.plain(job!)} could not be started: ${tongue.plain(error.message)}`)
    }
  },
}

export const workCommands: readonly Command[] = [deploy, run]
