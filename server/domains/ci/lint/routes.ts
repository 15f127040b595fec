import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { bool, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project, projectAbilities } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { CiLint, ProjectCiLint } from './entity.ts'
import { lintContent, lintInProject, type CheckResult } from './service.ts'

const texts = z.array(z.string())

const problems = z.array(
  z.strictObject({
    message: z.string(),
    file: z.string().nullable(),
    line: z.int().nullable(),
    column: z.int().nullable(),
  }),
)

/** The result of lint for the editor in the window, which shows errors at their lines. */
const CiCheck = entity(
  'CiCheck',
  {
    valid: z.boolean(),
    errors: problems,
    warnings: problems,
    merged_yaml: z.string().nullable(),
    stages: texts,
    jobs: z.array(
      z.strictObject({
        name: z.string(),
        stage: z.string(),
        needs: texts,
        included: z.boolean(),
        because: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
  },
  ({ lint, compiled, selection }: CheckResult) => {
    const included = new Set(selection?.jobs.map(({ job }) => job.name))
    return {
      valid: lint.valid,
      errors: lint.errors.slice(),
      warnings: lint.warnings.slice(),
      merged_yaml: lint.merged_yaml ?? null,
      stages: (compiled.built?.stages ?? []).slice(),
      jobs: (compiled.built?.jobs ?? []).map((job) => {
        const explanation = selection?.explain(job.name)
        return {
          name: job.name,
          stage: job.stage,
          needs: (job.needs ?? []).map((need) => need.name),
          included: included.has(job.name),
          because: explanation?.because ?? null,
          reason: explanation?.text ?? null,
        }
      }),
    }
  },
)

const MAX_CHARACTERS = 4_000_000
const MAX_BODY = 12_000_000

const content = text({ max: MAX_CHARACTERS }).describe('The configuration')
const includeJobs = bool().default(false).describe('Include the jobs of the configuration')
const dryRun = bool().default(false).describe('Simulate the creation of a pipeline by a push')
const ref = text({ max: 1100 })
  .optional()
  .describe('Branch or tag of the dry run. The default is the default branch')

export const lint = endpoint('POST /ci/lint', {
  summary: 'Validate a CI configuration',
  can: 'anyone',
  params: {
    content,
    include_merged_yaml: bool()
      .default(false)
      .describe('Include the configuration with all includes and extends merged'),
    include_jobs: includeJobs,
  },
  fails: {
    401: 'Sign-up is disabled, and the caller is anonymous or an external user who is not a developer of any project or group',
  },
  maxBody: MAX_BODY,
  returns: ok(CiLint),
  run: ({ params, ...ctx }) =>
    lintContent(ctx, params.content, { merged_yaml: params.include_merged_yaml, jobs: params.include_jobs }),
})

export const lintProject = endpoint('GET /projects/:id/ci/lint', {
  summary: 'Validate the CI configuration of a project',
  scope: project,
  can: projectAbilities.read_code,
  params: {
    dry_run: dryRun,
    include_jobs: includeJobs,
    ref,
    sha: text({ max: 1100 }).optional().describe('The commit, branch or tag of the configuration to check'),
    content_ref: text({ max: 1100 }).optional().describe('Same as `sha`'),
    dry_run_ref: text({ max: 1100 }).optional().describe('Same as `ref`'),
  },
  fails: { 404: 'The commit does not exist' },
  returns: ok(ProjectCiLint),
  run: async ({ project: owner, params, ...ctx }) => {
    const { lint: result } = await lintInProject(ctx, owner, {
      sha: params.content_ref ?? params.sha,
      isDryRun: params.dry_run,
      ref: params.dry_run_ref ?? params.ref,
      parts: { merged_yaml: true, jobs: params.include_jobs },
    })
    return result
  },
})

export const lintInContext = endpoint('POST /projects/:id/ci/lint', {
  summary: 'Validate a CI configuration in the context of a project',
  scope: project,
  can: abilities.create_pipeline,
  params: { content, dry_run: dryRun, include_jobs: includeJobs, ref },
  maxBody: MAX_BODY,
  returns: ok(ProjectCiLint),
  run: async ({ project: owner, params, ...ctx }) => {
    const { lint: result } = await lintInProject(ctx, owner, {
      content: params.content,
      isDryRun: params.dry_run,
      ref: params.ref,
      parts: { merged_yaml: true, jobs: params.include_jobs },
    })
    return result
  },
})

export const checkConfiguration = endpoint('POST /-/projects/:id/ci/check', {
  summary: 'Validate a CI configuration in the editor and explain its jobs',
  scope: project,
  can: abilities.create_pipeline,
  params: { content, ref },
  maxBody: MAX_BODY,
  returns: ok(CiCheck),
  run: ({ project: owner, params, ...ctx }) =>
    lintInProject(ctx, owner, {
      content: params.content,
      isDryRun: true,
      isLenient: true,
      ref: params.ref,
      parts: { merged_yaml: true, jobs: false },
    }),
})
