import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import { type CompiledJob, expandText, type SelectedJob } from '../../../ci_config/index.ts'
import { prepareEnvironment } from '../../environments/prepare.ts'
import type { JobOptions } from '../../jobs/store.ts'
import * as jobs from '../../jobs/store.ts'
import { resourceGroupFor } from '../../resource_groups/service.ts'
import type { PipelineRow } from '../store.ts'
import type { Choice } from './selecting.ts'
import * as store from './store.ts'

/** Stores the jobs of a pipeline, with their environments and resource groups. To be called in its transaction. */
export function writeJobs(ctx: Ctx, project: Project, pipeline: PipelineRow, choice: Choice): void {
  for (const selected of choice.selection.jobs) writeJob(ctx, project, pipeline, selected, choice)
}

function writeJob(
  ctx: Ctx,
  project: Project,
  pipeline: PipelineRow,
  selected: SelectedJob,
  choice: Choice,
): void {
  const { job } = selected
  const expand = expander(selected, choice)
  const environment = job.environment && { ...job.environment, name: expand(job.environment.name) }
  const group = job.resource_group === null ? '' : expand(job.resource_group)
  const id = store.insertJob(ctx.db, {
    pipeline_id: pipeline.id,
    project_id: project.id,
    kind: job.kind,
    name: job.name,
    base: job.base,
    stage: job.stage,
    stage_index: job.stage_index,
    status: 'created',
    when: selected.when,
    allow_failure: selected.allow_failure,
    needs: selected.needs === null ? null : JSON.stringify(selected.needs),
    user_id: pipeline.user_id,
    ref: pipeline.ref,
    tag: pipeline.tag,
    protected: pipeline.protected,
    tag_list: JSON.stringify(job.tag_list.map((tag) => expand(tag, true))),
    interruptible: selected.interruptible,
    resource_group_id: group === '' ? null : resourceGroupFor(ctx, project, group),
    environment: environment?.name ?? null,
    environment_action: environment?.action ?? null,
    follows_downstream: follows(job),
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  store.insertDetails(ctx.db, {
    job_id: id,
    options: JSON.stringify(optionsFor(selected)),
    variables: JSON.stringify(selected.variables),
  })
  if (environment) prepareEnvironment(ctx, project, pipeline, jobs.byId(ctx.db, id)!, environment)
}

/** Expands variables in texts; creates the lookup for the first text with a variable. */
function expander(selected: SelectedJob, choice: Choice): (text: string, keepUnknown?: boolean) => string {
  let lookup: ((name: string) => string | undefined) | undefined
  return (text, keepUnknown = false) => {
    if (!/[$%]/.test(text)) return text
    lookup ??= choice.lookup(selected)
    return expandText(text, lookup, keepUnknown)
  }
}

function follows({ trigger }: CompiledJob): boolean {
  return trigger?.['strategy'] === 'depend'
}

function optionsFor({ job, start_in, allowed_exit_codes }: SelectedJob): JobOptions {
  return {
    script: job.script,
    before_script: job.before_script,
    after_script: job.after_script,
    start_in,
    allowed_exit_codes,
    other_needs: job.other_needs,
    dependencies: job.dependencies,
    environment: job.environment,
    resource_group: job.resource_group,
    timeout: job.timeout,
    coverage: job.coverage,
    retry: job.retry,
    parallel: job.parallel,
    image: job.image,
    services: job.services,
    cache: job.cache,
    artifacts: job.artifacts,
    release: job.release,
    secrets: job.secrets,
    id_tokens: job.id_tokens,
    hooks: job.hooks,
    trigger: job.trigger,
  }
}
