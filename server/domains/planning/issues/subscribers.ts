import { on, type Subscription } from '../../../events/publish.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { readPushed } from './commits.ts'

export const subscribers: Subscription[] = [on(RefsUpdated, 'issues.read_pushed', readPushed)]
