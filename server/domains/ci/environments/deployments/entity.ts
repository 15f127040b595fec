import { z } from 'zod'

import { entity } from '../../../../http/entity.ts'
import { deploymentFields, presentDeployment } from '../entity.ts'
import type { DeploymentView } from '../views.ts'

type Nothing = Record<string, unknown>

/** A single deployment; nothing is ever asked to approve one, for no environment is protected (spec ci 5.5). */
export const DeploymentDetails = entity(
  'DeploymentDetails',
  {
    ...deploymentFields,
    pending_approval_count: z.int(),
    approvals: z.array(z.looseObject({})),
    approval_summary: z.object({ rules: z.array(z.looseObject({})) }),
  },
  (view: DeploymentView, at) => ({
    ...presentDeployment(view, at),
    pending_approval_count: 0,
    approvals: [] as Nothing[],
    approval_summary: { rules: [] as Nothing[] },
  }),
)
