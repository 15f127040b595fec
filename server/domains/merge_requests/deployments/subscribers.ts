import { on, type Subscription } from '../../../events/publish.ts'
import { DeploymentChanged } from '../../ci/events.ts'
import { linkDeployment } from './link.ts'

export const subscribers: Subscription[] = [
  on(DeploymentChanged, 'merge_requests.link_deployment', async (ctx, event) => {
    if (event.status === 'success') await linkDeployment(ctx, event)
  }),
]
