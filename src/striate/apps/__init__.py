"""Applications, bundled and your own: as workloads and, where MPI is there, for real."""

from striate.apps.app import App, Case, KernelCost, KernelProcess, Kernels

__all__ = ["App", "Case", "KernelCost", "KernelProcess", "Kernels"]
