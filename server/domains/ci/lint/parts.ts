import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Included } from '../config/includes/resolver.ts'
import type { LintJob } from './result.ts'

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

/** A job as lint shows it; what a dry run leaves out is optional (spec ci 4.14). */
export const CiLintJob = entity('CiLintJob', jobFields, (job: LintJob) => job)

/** A file that a configuration includes. */
export const CiLintInclude = entity(
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
    const at = (kind: string) => origin && `${url}/${origin.project}/-/${kind}/${origin.sha}/${file.location}`
    const raw = file.type === 'remote' ? file.location : at('raw')
    const { type, location, extra, context_project, context_sha } = file
    return { type, location, blob: at('blob'), raw, extra, context_project, context_sha }
  },
)
