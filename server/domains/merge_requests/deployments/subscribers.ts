import { on, type Subscription } from '../../../events/facts.ts'
import { DeploymentChanged } from '../../ci/events.ts'
import { linkDeployment } from './link.ts'

export const subscribers: Subscription[] = [
  on(DeploymentChanged, 'merge_requests.link_deployment', async (ctx, fact) => {
    if (fact.status === 'success') await linkDeployment(ctx, fact)
  }),
]
