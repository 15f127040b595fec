import type { RouteRecordRaw } from 'vue-router'

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/pipelines', component: () => import('./PipelinesView.vue') },
  { path: '-/ci/editor', component: () => import('./ConfigurationView.vue') },
  { path: '-/pipelines/new', component: () => import('./NewPipelineView.vue') },
  { path: '-/pipelines/:pipeline_id(\\d+)', component: () => import('./PipelineView.vue'), meta: { iconsOnly: true } },
  { path: '-/jobs/:job_id(\\d+)', component: () => import('./PipelineView.vue'), meta: { iconsOnly: true } },
]
