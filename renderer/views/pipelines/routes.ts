import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { t } from '../../locales/t.ts'

const view = () => import('./PipelineView.vue')

export const projectRoutes: RouteRecordRaw[] = [
  listDetail('-/pipelines', t('pipelines.pipelines'), () => import('./PipelinesView.vue'), [
    { path: ':pipeline_id(\\d+)', component: view },
    // A job opens in the view of its pipeline.
    { path: '/:full_path(.+?)/-/jobs/:job_id(\\d+)', component: view },
  ]),
  { path: '-/pipelines/charts', component: () => import('./PipelineChartsView.vue') },
  { path: '-/ci/editor', component: () => import('./ConfigurationView.vue') },
  { path: '-/pipelines/new', component: () => import('./NewPipelineView.vue') },
  { path: '-/pipeline_schedules', component: () => import('./schedules/SchedulesView.vue') },
  {
    path: '-/jobs/:job_id(\\d+)/artifacts/browse/:path(.*)*',
    component: () => import('./artifacts/ArtifactsView.vue'),
  },
]
