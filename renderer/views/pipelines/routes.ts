import type { RouteRecordRaw } from 'vue-router'

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/pipelines', component: () => import('./PipelinesView.vue') },
  { path: '-/ci/editor', component: () => import('./ConfigurationView.vue') },
  { path: '-/pipelines/new', component: () => import('./NewPipelineView.vue') },
  {
    path: '-/pipelines/:pipeline_id(\\d+)',
    component: () => import('./PipelineView.vue'),
    meta: { iconsOnly: true },
  },
  { path: '-/pipeline_schedules', component: () => import('./schedules/SchedulesView.vue') },
  {
    path: '-/jobs/:job_id(\\d+)/artifacts/browse/:path(.*)*',
    component: () => import('./artifacts/ArtifactsView.vue'),
  },
  { path: '-/jobs/:job_id(\\d+)', component: () => import('./PipelineView.vue'), meta: { iconsOnly: true } },
]
