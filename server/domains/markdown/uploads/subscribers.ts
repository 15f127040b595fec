import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectDeleted } from '../../projects/events.ts'
import { removeFilesOf } from './service.ts'

export const subscribers: Subscription[] = [on(ProjectDeleted, 'attachments.remove', removeFilesOf)]
