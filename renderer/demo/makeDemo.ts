import { ApiError, api } from '../api/client.ts'
import type { Project } from '../api/types.ts'
import { DEMO_TOPIC, demoOf, type Demo } from './demo.ts'
import { runWaitingJobs } from './runner/runner.ts'
import { makeBranches, makeHistory, makeRelease } from './steps/code.ts'
import { makeIssues, makePages, makePlan } from './steps/planning.ts'
import { makeMerged, makeOpen } from './steps/requests.ts'

type Step = { title: string; run: (demo: Demo) => Promise<unknown> }

const runJobs = (demo: Demo) => runWaitingJobs(demo.project.id)

/** What is made one after the other; each looks what is there already, so that it goes on where it was cut off. */
const STEPS: Step[] = [
  { title: 'Writing history', run: makeHistory },
  { title: 'Planning', run: makePlan },
  { title: 'Reporting issues', run: makeIssues },
  { title: 'Running the first pipeline', run: runJobs },
  { title: 'Cutting a release', run: makeRelease },
  { title: 'Making branches', run: makeBranches },
  { title: 'Merging a request', run: makeMerged },
  { title: 'Asking for a review', run: makeOpen },
  { title: 'Writing wiki pages', run: makePages },
  { title: 'Running pipelines', run: runJobs },
]

/** How far the making is. */
export type DemoProgress = { title: string; done: number; total: number }

const NAME = 'Tidewatch'
const PATH = 'tidewatch'
const MOST_NAMES = 20

/** The demo in a user's namespace: an unfinished one, or a new one with a free name. */
const projectFor = async (username: string): Promise<Project> => {
  for (let number = 1; number <= MOST_NAMES; number++) {
    const ending = number === 1 ? '' : `-${number}`
    const found = await api('GET /projects/:id', { id: `${username}/${PATH}${ending}` }).catch(missing)
    if (found?.topics.includes(DEMO_TOPIC)) return found
    if (!found)
      return api('POST /projects', {
        name: number === 1 ? NAME : `${NAME} ${number}`,
        path: `${PATH}${ending}`,
        description: 'Says when the tide is high. A project to look around in.',
        topics: [DEMO_TOPIC, 'tides'],
        default_branch: 'main',
      })
  }
  throw new ApiError(0, 'There are many projects of that name already.')
}

const missing = (error: unknown): null => {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}

/** Makes the project to look around in, or what is missing of it, over the API alone. */
export const makeDemo = async (onProgress: (progress: DemoProgress) => void): Promise<Project> => {
  const total = STEPS.length + 1
  onProgress({ title: 'Making the project', done: 0, total })
  const me = await api('GET /user')
  const project = await projectFor(me.username)
  const demo = demoOf(project, me.id)
  for (const [index, { title, run }] of STEPS.entries()) {
    onProgress({ title, done: index + 1, total })
    await run(demo)
  }
  onProgress({ title: 'Done', done: total, total })
  return api('GET /projects/:id', { id: project.id })
}
