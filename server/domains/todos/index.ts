import { domain } from '../../domain.ts'
import { jobs as todosJobs, crons as todosCrons } from './service-items.ts'
import { subscribers as todosSubscribers } from './subscribers.ts'

export { countTodos } from './service.ts'
export { remindOfFailedPipeline, remindOfRemovalFromTrain } from './service-reminders.ts'

export const todosDomain = domain({
  name: 'todos',
  endpoints: () => import('./routes.ts'),
  subscribers: todosSubscribers,
  jobs: todosJobs,
  crons: todosCrons,
  reloads: { todos: ['todos', 'user_counts'] },
})
