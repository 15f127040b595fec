import { beforeAll, describe, expect, test } from 'vitest'

import { world, type TestUser } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

const w = await world()
const root = w.as(w.root)

const CONFIG = `
stages: [build, test]
variables:
  APP: shop
compile:
  stage: build
  script: [make]
  tags: [linux, $APP]
check:
  stage: test
  script: [make test]
  needs: [compile]
  rules:
    - if: $DEEP
      variables: { LEVEL: deep }
    - when: on_success
`

let dev: TestUser
let reporter: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

/** A project with one configuration on its default branch. */
async function projectWith(config: string | null, files: Record<string, string> = {}) {
  const made = await w.make.project()
  const own: Record<string, string> = config === null ? {} : { '.gitlab-ci.yml': config }
  const [sha] = fill(w, made, [{ branch: 'main', files: { 'README.md': 'hello', ...own, ...files } }])
  return { ...made, sha }
}

function jobsOf(pipelineId: number) {
  return w
    .ctx()
    .db.many<Record<string, unknown>>('SELECT * FROM ci_jobs WHERE pipeline_id = ? ORDER BY id', pipelineId)
}

beforeAll(async () => {
  project = await projectWith(CONFIG)
  dev = w.make.user()
  reporter = w.make.user()
  await w.make.member('projects', project.id, dev, 30)
  await w.make.member('projects', project.id, reporter, 20)
})

describe('POST /projects/:id/pipeline', () => {
  test('makes a pipeline with its jobs and variables', async () => {
    const made = await root.post(`/projects/${project.id}/pipeline`, {
      ref: 'main',
      variables: [
        { key: 'DEEP', value: 'yes' },
        { key: 'KEY', value: 'secret', variable_type: 'file' },
      ],
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ iid: 1, ref: 'main', sha: project.sha, source: 'api', tag: false })
    const jobs = jobsOf(made.body.id)
    expect(jobs.map(({ name, stage, kind }) => [name, stage, kind])).toEqual([
      ['compile', 'build', 'job'],
      ['check', 'test', 'job'],
    ])
    expect(JSON.parse(jobs[0]!['tag_list'] as string)).toEqual(['linux', 'shop'])
  })
})
