import { describe, expect, it } from 'vitest'

import { domains } from '../../../server/domains.ts'
import { openMergeRequest, pushTo } from '../../support/merge-requests.ts'
import { world } from '../../support/world.ts'

const w = await world()
const root = w.as(w.root)
const failures = () =>
  w.ctx().db.many("SELECT name, args, state, error FROM jobs WHERE error IS NOT NULL OR state = 'failed'")

describe('background work for a deleted project', () => {
  it('ends without a failure at any point', async () => {
    for (let round = 0; round < 4; round++) {
      const project = await w.make.project({ with: 'readme', visibility: 'public' })
      const at = `/projects/${project.id}`
      await pushTo(w, project, 'main', {
        '.gitlab-ci.yml': 'build:\n  script: make\n',
        'a.js': 'let a = 1\n',
      })
      const request = await openMergeRequest(w, project, { drain: false })
      await root.post(`${at}/issues`, { title: 'One', description: 'A **word**' })
      await root.post(`${at}/wikis`, { title: 'home', content: 'Home' })
      await root.post(`${at}/releases`, { tag_name: 'v1', ref: 'main' })
      await root.post(`${at}/housekeeping`)
      await root.post(`${at}/fork`, { name: `fork-${round}`, path: `fork-${round}` })
      if (round % 2 === 0) await root.put(`${at}/merge_requests/${request.iid}/rebase`)
      expect((await root.delete(at)).status).toBe(202)
    }
    await w.drain()
    expect(failures()).toEqual([])
  })

  it('is ended by the deletion event of its subject', () => {
    const subjects = Object.keys(Object.assign({}, ...domains.map((domain) => domain.subjects ?? {})))
    const endings = domains
      .flatMap((domain) => domain.subscribers)
      .filter(({ event }) => subjects.some((field) => event === `${field.replace(/_id$/, '')}.deleted`))
    expect(endings.length).toBeGreaterThan(5)
    for (const { event, ends } of endings) expect(ends).toBe(event.replace(/\.deleted$/, '_id'))
  })
})
