import { setTimeout as pause } from 'node:timers/promises'

import { startInstance, TOKEN } from '../support/instance.ts'
import { ask, type Forge } from './forge.ts'

const API = '/api/v4'

/** Deskforge as one of the forges: the built instance on `dataDir`. */
export async function startDeskforge(dataDir: string): Promise<Forge> {
  let running = await startInstance(dataDir)
  const page = 'per_page=20'
  const forge: Forge = {
    name: 'Deskforge',
    get running() {
      return running
    },
    headers: { 'private-token': TOKEN },
    reads: {
      project: ({ api }) => api,
      projects: () => `${API}/projects?${page}`,
      issues: ({ api }) => `${api}/issues?state=opened&${page}`,
      requests: ({ api }) => `${api}/merge_requests?state=opened&${page}`,
      request: ({ api }, number) => `${api}/merge_requests/${number}`,
      diff: ({ api }, number) => `${api}/merge_requests/${number}/diffs?${page}`,
      tree: ({ api }) => `${api}/repository/tree?ref=main&${page}`,
      raw: ({ api }, path) => `${api}/repository/files/${encodeURIComponent(path)}/raw?ref=main`,
      commits: ({ api }) => `${api}/repository/commits?ref_name=main&${page}`,
      branches: ({ api }) => `${api}/repository/branches?${page}`,
    },
    async restart() {
      await running.stop()
      running = await startInstance(dataDir)
    },
    async prepare() {
      await ask(forge, 'PUT', `${API}/application/settings`, {
        issues_create_limit: 0,
        notes_create_limit: 0,
      })
    },
    async createProject(name) {
      const { id } = await ask<{ id: number }>(forge, 'POST', `${API}/projects`, { name })
      return { name, api: `${API}/projects/${id}` }
    },
    remote: ({ name }) => `${running.url.replace('//', `//root:${TOKEN}@`)}/root/${name}.git`,
    async createIssue({ api }, title) {
      await ask(forge, 'POST', `${api}/issues`, { title, description: 'What is to be done.' })
    },
    async createRequest({ api }, branch) {
      const body = { source_branch: branch, target_branch: 'main', title: `Merge ${branch}` }
      return (await ask<{ iid: number }>(forge, 'POST', `${api}/merge_requests`, body)).iid
    },
    async untilMergeable({ api }, number) {
      for (let attempt = 0; attempt < 600; attempt++) {
        const found = await ask<{ merge_status: string }>(forge, 'GET', `${api}/merge_requests/${number}`)
        if (found.merge_status === 'can_be_merged') return
        await pause(50)
      }
      throw new Error(`Merge request ${number} cannot be merged.`)
    },
    async merge({ api }, number) {
      await ask(forge, 'PUT', `${api}/merge_requests/${number}/merge`, {})
    },
    async commit({ api }, path, text) {
      const body = { branch: 'main', content: text, commit_message: `Add ${path}` }
      await ask(forge, 'POST', `${api}/repository/files/${encodeURIComponent(path)}`, body)
    },
  }
  return forge
}
