import { Activity, Camera, Clock, Globe } from '@lucide/vue'
import type { Part } from '../../components/frame/parts.ts'
import { t } from '../../locales/t.ts'

/** The parts of the workbench, top to bottom. */
export const parts: readonly Part[] = [
  { label: t('inspector.inspector'), to: '/-/workbench/inspector', icon: Activity },
  { label: t('workbench.clock'), to: '/-/workbench/clock', icon: Clock },
  { label: t('workbench.snapshots'), to: '/-/workbench/snapshots', icon: Camera },
  { label: t('workbench.worlds'), to: '/-/workbench/worlds', icon: Globe },
]
