import { expect } from 'vitest'

import { hasFields, section, line } from '../section.ts'

const content = 'build: { stage: build, script: make, tags: [one], only: [main] }'

export const statements = section(
  'CI lint result',
  async (w) => ({ project: await w.make.project({ with: 'readme' }) }),
  [
    line(
      'Without project: `status` (`valid`/`invalid`), `errors` (strings), `warnings` (strings); optional `merged_yaml` (string) and `jobs` (array of name, stage, before_script, script, after_script, tag_list, environment, when, allow_failure, only, except).',
      'POST /ci/lint with include_merged_yaml, include_jobs → these fields',
      async ({ root }) => {
        const { body } = await root.post('/ci/lint', {
          content,
          include_merged_yaml: true,
          include_jobs: true,
        })
        hasFields(body, {
          status: 'string',
          errors: 'array',
          warnings: 'array',
          merged_yaml: 'string',
          jobs: 'array',
        })
        expect(body.status).toBe('valid')
        hasFields(body.jobs[0], {
          name: 'string',
          stage: 'string',
          before_script: 'array',
          script: 'array',
          after_script: 'array',
          tag_list: 'array',
          environment: 'any',
          when: 'string',
          allow_failure: 'boolean',
          only: 'any',
          except: 'any',
        })
        expect((await root.post('/ci/lint', { content: 'a: 1' })).body.status).toBe('invalid')
      },
    ),
    line(
      'With project: `valid` (boolean), `merged_yaml`, `errors`, `warnings`.',
      'POST /projects/:id/ci/lint → these fields',
      async ({ root, project }) => {
        const { body } = await root.post(`/projects/${project.id}/ci/lint`, { content })
        hasFields(body, { valid: 'boolean', merged_yaml: 'string', errors: 'array', warnings: 'array' })
      },
    ),
  ],
)
