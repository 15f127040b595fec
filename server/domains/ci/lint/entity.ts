import { z } from 'zod'

import { entity, type Presentation } from '../../../http/entity.ts'
import type { Included } from '../../ci_config/index.ts'
import type { Lint, LintJob } from './service.ts'

const jobFields = {
  name: z.string(),
  stage: z.string(),
  before_script: z.array(z.string()),
  script: z.array(z.string()),
  after_script: z.array(z.string()),
  tag_list: z.array(z.string()),
  only: z.record(z.string(), z.unknown()).nullable().optional(),
  except: z.record(z.string(), z.unknown()).nullable().optional(),
  environment: z.string().nullable(),
  when: z.string(),
  allow_failure: z.boolean(),
  needs: z
    .array(z.strictObject({ name: z.string(), artifacts: z.boolean(), optional: z.boolean() }))
    .nullable()
    .optional(),
}

/** A job as lint shows it. A dry run leaves out the optional fields (spec ci 4.14). */
const CiLintJob = entity('CiLintJob', jobFields, (job: LintJob) => job)

/** A file that a configuration includes. */
const CiLintInclude = entity(
  'CiLintInclude',
  {
    type: z.string(),
    location: z.string(),
    blob: z.string().nullable(),
    raw: z.string().nullable(),
    extra: z.record(z.string(), z.string()),
    context_project: z.string().nullable(),
    context_sha: z.string().nullable(),
  },
  ({ origin, ...file }: Included, { url }) => {
    const urlOf = (view: 'blob' | 'raw') =>
      origin && `${url}/${origin.project}/-/${view}/${origin.sha}/${file.location}`
    const raw = file.type === 'remote' ? file.location : urlOf('raw')
    const { type, location, extra, context_project, context_sha } = file
    return { type, location, blob: urlOf('blob'), raw, extra, context_project, context_sha }
  },
)

const texts = z.array(z.string())

/** The includes and, if requested, the jobs of both answers. */
function includesAndJobs(lint: Lint, at: Presentation) {
  return {
    includes: lint.includes && lint.includes.map((include) => CiLintInclude.present(include, at)),
    ...(lint.jobs ? { jobs: lint.jobs.map((job) => CiLintJob.present(job, at)) } : {}),
  }
}

/** The result of lint for a configuration without a project. */
export const CiLint = entity(
  'CiLint',
  {
    status: z.enum(['valid', 'invalid']),
    errors: texts,
    warnings: texts,
    valid: z.boolean(),
    merged_yaml: z.string().nullable().optional(),
    includes: z.array(z.strictObject(CiLintInclude.fields)).nullable(),
    jobs: z.array(z.strictObject(CiLintJob.fields)).optional(),
  },
  (lint: Lint, at) => ({
    status: lint.valid ? ('valid' as const) : ('invalid' as const),
    errors: lint.errors.map(({ message }) => message),
    warnings: lint.warnings.map(({ message }) => message),
    valid: lint.valid,
    ...(lint.merged_yaml === undefined ? {} : { merged_yaml: lint.merged_yaml }),
    ...includesAndJobs(lint, at),
  }),
)

/** The result of lint for a configuration in a project. */
export const ProjectCiLint = entity(
  'ProjectCiLint',
  {
    valid: z.boolean(),
    errors: texts,
    warnings: texts,
    merged_yaml: z.string().nullable(),
    includes: z.array(z.strictObject(CiLintInclude.fields)).nullable(),
    jobs: z.array(z.strictObject(CiLintJob.fields)).optional(),
  },
  (lint: Lint, at) => ({
    valid: lint.valid,
    errors: lint.errors.map(({ message }) => message),
    warnings: lint.warnings.map(({ message }) => message),
    merged_yaml: lint.merged_yaml ?? null,
    ...includesAndJobs(lint, at),
  }),
)
