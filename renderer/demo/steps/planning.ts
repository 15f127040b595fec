import { api } from '../../api/client.ts'
import { BOARD, COLUMNS, ISSUES, LABELS, MILESTONE, SNIPPET, WIKI } from '../content/planning.ts'
import type { Demo } from '../demo.ts'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** Labels, the milestone and the board. */
export const makePlan = async ({ project: { id } }: Demo) => {
  const labels = await api('GET /projects/:id/labels', { id, per_page: 100 })
  for (const one of LABELS)
    if (!labels.some(({ name }) => name === one.name)) await api('POST /projects/:id/labels', { id, ...one })
  const milestones = await api('GET /projects/:id/milestones', { id, per_page: 100 })
  if (milestones.length === 0)
    await api('POST /projects/:id/milestones', {
      id,
      ...MILESTONE,
      start_date: inDays(-10).slice(0, 10),
      due_date: inDays(18).slice(0, 10),
    })
  await makeBoard(id)
}

const makeBoard = async (id: number) => {
  const boards = await api('GET /projects/:id/boards', { id, per_page: 100 })
  const board = boards[0] ?? (await api('POST /projects/:id/boards', { id, name: BOARD }))
  const lists = await api('GET /projects/:id/boards/:board_id/lists', {
    id,
    board_id: board.id,
    per_page: 100,
  })
  const labels = await api('GET /projects/:id/labels', { id, per_page: 100 })
  for (const column of COLUMNS) {
    const label = labels.find(({ name }) => name === column)
    if (label && !lists.some((one) => one.label?.id === label.id))
      await api('POST /projects/:id/boards/:board_id/lists', { id, board_id: board.id, label_id: label.id })
  }
}

/** Issues with their comments. */
export const makeIssues = async (demo: Demo) => {
  const { id } = demo.project
  const [milestone] = await api('GET /projects/:id/milestones', { id, per_page: 1 })
  const known = await api('GET /projects/:id/issues', { id, state: 'all', per_page: 100 })
  for (const [index, one] of ISSUES.entries()) {
    const issue =
      known.find(({ title }) => title === one.title) ??
      (await demo.as(one.by, 'POST /projects/:id/issues', {
        id,
        title: one.title,
        description: one.description,
        labels: one.labels,
        ...(index < 3 && milestone ? { milestone_id: milestone.id } : {}),
        ...(one.mine ? { assignee_ids: [demo.me], due_date: inDays(5).slice(0, 10) } : {}),
      }))
    await discuss(demo, issue.iid, one.said)
  }
}

const discuss = async (demo: Demo, issue_iid: number, said: (typeof ISSUES)[number]['said']) => {
  const { id } = demo.project
  const of = { id, issue_iid }
  const notes = await api('GET /projects/:id/issues/:issue_iid/notes', { ...of, per_page: 100 })
  for (const { by, body } of said)
    if (!notes.some((one) => one.body === body))
      await demo.as(by, 'POST /projects/:id/issues/:issue_iid/notes', { ...of, body })
}

/** A page of the wiki and a snippet. */
export const makePages = async ({ project: { id } }: Demo) => {
  const pages = await api('GET /projects/:id/wikis', { id })
  if (pages.length === 0) await api('POST /projects/:id/wikis', { id, ...WIKI })
  const snippets = await api('GET /projects/:id/snippets', { id, per_page: 1 })
  const { title, file_name: file_path, content } = SNIPPET
  if (snippets.length === 0)
    await api('POST /projects/:id/snippets', {
      id,
      title,
      files: [{ file_path, content }],
      visibility: 'private',
    })
}
