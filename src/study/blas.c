// The four functions of BLAS that liblinear calls. With them it is linked without a BLAS library, whose thousands of
// symbols would be looked up at every start of the program, also where nothing is trained.
#include <math.h>

double ddot_(const int *count, const double *x, const int *step_x, const double *y, const int *step_y);
int daxpy_(const int *count, const double *factor, const double *x, const int *step_x, double *y, const int *step_y);
int dscal_(const int *count, const double *factor, double *x, const int *step);
double dnrm2_(const int *count, const double *x, const int *step);

double ddot_(const int *count, const double *x, const int *step_x, const double *y, const int *step_y) {
  double sum = 0;
  for (int i = 0; i < *count; ++i) {
    sum += x[i * *step_x] * y[i * *step_y];
  }
  return sum;
}

int daxpy_(const int *count, const double *factor, const double *x, const int *step_x, double *y, const int *step_y) {
  for (int i = 0; i < *count; ++i) {
    y[i * *step_y] += *factor * x[i * *step_x];
  }
  return 0;
}

int dscal_(const int *count, const double *factor, double *x, const int *step) {
  for (int i = 0; i < *count; ++i) {
    x[i * *step] *= *factor;
  }
  return 0;
}

double dnrm2_(const int *count, const double *x, const int *step) { return sqrt(ddot_(count, x, step, x, step)); }
