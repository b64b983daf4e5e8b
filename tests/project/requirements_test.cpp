#include "project/requirements.h"

#include "project/requirement_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace deepperf::project {

namespace {

Requirements requirements_in(std::string_view text) {
  Requirements requirements;
  add_requirements(text, requirements);
  return requirements;
}

// The text must name the package.
VersionRange range_of(std::string_view text, const std::string &package = "torch") {
  return requirements_in(text).at(package);
}

TEST(Requirements, Versions) {
  EXPECT_EQ(parse_version("1.13"), (Version{1, 13, 0}));
  EXPECT_EQ(parse_version("2.0.1+cu118"), (Version{2, 0, 1}));
  EXPECT_EQ(parse_version("0.4.1.post2"), (Version{0, 4, 1}));
  EXPECT_EQ(parse_version("2"), (Version{2, 0, 0}));
  EXPECT_EQ(parse_version("x"), std::nullopt);
  EXPECT_EQ(parse_version("2099-01-01"), std::nullopt);
  EXPECT_EQ(parse_version("99999999999"), std::nullopt);
}

TEST(Requirements, SaysWhere) {
  Requirements requirements;
  add_requirements("numpy\nlightning>=2.1\n", requirements, "requirements.txt");
  EXPECT_EQ(requirements.at("pytorch-lightning").where, "requirements.txt:2");
  EXPECT_EQ(requirements.at("numpy").where, "");
  add_requirements("RUN pip install torch==1.9.0 librosa==0.8.0\n", requirements, "Dockerfile");
  EXPECT_EQ(requirements.at("torch").below, (Version{1, 9, 1}));
  EXPECT_EQ(requirements.at("librosa").where, "Dockerfile:1");
}

TEST(Requirements, Ranges) {
  EXPECT_EQ(range_of("torch>=1.8,<2.0\n").at_least, (Version{1, 8, 0}));
  EXPECT_EQ(range_of("torch>=1.8,<2.0\n").below, (Version{2, 0, 0}));
  EXPECT_EQ(range_of("torch==1.7.1+cu110").at_least, (Version{1, 7, 1}));
  EXPECT_EQ(range_of("torch==1.7.1+cu110").below, (Version{1, 7, 2}));
  EXPECT_EQ(range_of("torch == 1.7.*").below, (Version{1, 8, 0}));
  EXPECT_EQ(range_of("dependencies:\n  - pytorch=1.7\n").below, (Version{1, 8, 0}));
  EXPECT_EQ(range_of("torch = \"^1.10\"").at_least, (Version{1, 10, 0}));
  EXPECT_EQ(range_of("torch = \"^1.10\"").below, (Version{2, 0, 0}));
  EXPECT_EQ(range_of("install_requires=['numpy', 'torch~=1.9', 'x']").at_least, (Version{1, 9, 0}));
  EXPECT_EQ(range_of("tensorflow-gpu[all]>=2.1 ; python_version > '3'", "tensorflow").at_least, (Version{2, 1, 0}));
  EXPECT_EQ(range_of("torch\nnumpy>=1.20").at_least, std::nullopt);
  EXPECT_TRUE(requirements_in("# torch==1.0\n").empty());
  EXPECT_TRUE(requirements_in("my-torch==1.0\n").empty());
  EXPECT_EQ(range_of("torch<=1.4").below, (Version{1, 4, 1}));
  EXPECT_EQ(range_of("  - python=3.8\n", "python").below, (Version{3, 9, 0}));
  EXPECT_EQ(range_of("setup(name=\"x\", python_requires=\">=3.6,<3.9\")", "python").below, (Version{3, 9, 0}));
  EXPECT_EQ(range_of("requires-python = \">=3.10\"", "python").at_least, (Version{3, 10, 0}));
  EXPECT_TRUE(requirements_in("RUN python setup.py install && python -m pip install x\n")["python"].where.empty());
}

TEST(Requirements, ParseRange) {
  const std::optional<VersionRange> range = parse_range(">=1.13, <3");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->at_least, (Version{1, 13, 0}));
  EXPECT_EQ(range->below, (Version{3, 0, 0}));
  EXPECT_TRUE(parse_range("==2.1.*") && parse_range("~= 2.0") && parse_range("!=2.0"));
  for (const char *text : {"", ",", "2.4", ">=", ">=x", ">=2,", "=>2", ">=2 <3", ">=3,<2", ">=2; x"}) {
    EXPECT_FALSE(parse_range(text).has_value()) << text;
  }
}

TEST(Requirements, TargetsWinOverFiles) {
  const std::string file = "/no/such/folder/a.py";
  set_target_versions({{"torch", {.at_least = Version{2, 4, 0}, .below = {}, .where = "deepperf.toml:3"}}});
  const u64 before = requirements_fingerprint({.folder = "/no/such/folder/"});
  ASSERT_TRUE(requirements_of(file).contains("torch"));
  EXPECT_EQ(requirements_of(file).find("torch")->second.where, "deepperf.toml:3");
  forget_requirements();
  EXPECT_TRUE(requirements_of(file).contains("torch"));
  set_target_versions({});
  EXPECT_FALSE(requirements_of(file).contains("torch"));
  EXPECT_NE(requirements_fingerprint({.folder = "/no/such/folder/"}), before);
}

// A repository on disk that lives as long as the test.
struct Repository {
  std::filesystem::path folder;

  Repository(const std::string &name, const std::vector<std::string> &inner)
      : folder(std::filesystem::temp_directory_path() / name) {
    std::filesystem::create_directories(folder / ".git");
    for (const std::string &one : inner) {
      std::filesystem::create_directories(folder / one);
    }
  }
  Repository(const Repository &) = delete;
  Repository &operator=(const Repository &) = delete;
  ~Repository() {
    std::filesystem::remove_all(folder);
    forget_requirements();
  }

  void write(const std::string &file, const std::string &text) const {
    std::ofstream(folder / file) << text;
    forget_requirements();
  }
  [[nodiscard]] Requirements of(const std::string &file) const { return requirements_of((folder / file).string()); }
};

// Of a folder that is a package itself, with an older version than others have: its own code is what files there
// import.
TEST(Requirements, OwnPackageCounts) {
  const Repository repository("deepperf_own_package", {"examples"});
  const auto of_example = [&] { return repository.of("examples/run.py"); };
  repository.write("examples/requirements.txt", "datasets>=1.0\n");
  repository.write("setup.py", "setup(\n    name=\"transformers\",\n    version=\"4.4.2\",  # of that time\n)\n");
  EXPECT_EQ(of_example().at("transformers").below, (Version{4, 4, 3}));
  EXPECT_TRUE(of_example().contains("datasets"));
  repository.write("setup.py", "setup(name='transformers', version=find_version())\n");
  EXPECT_FALSE(of_example().contains("transformers"));
  repository.write("setup.py", "setup(name='mine', package_name='transformers')\n");
  EXPECT_FALSE(of_example().contains("transformers"));
  repository.write("pyproject.toml", "[project]\nname = \"mine\"\n[[tool.poetry.source]]\nname = \"torch\"\n");
  EXPECT_FALSE(of_example().contains("torch"));
  repository.write("pyproject.toml", "[project]\nname = \"peft\"\nversion = \"0.3\"\n");
  EXPECT_EQ(of_example().at("peft").at_least, (Version{0, 3, 0}));
}

// Projects call their files what they like. A file for another environment says nothing of what the usual ones mention.
TEST(Requirements, FilesOfManyNames) {
  const Repository repository("deepperf_many_names", {"requirements", "configs"});
  const auto here = [&] { return repository.of("run.py"); };
  repository.write("requirements-extras.txt", "mmcv-full==1.5.0\n");
  EXPECT_EQ(here().at("mmcv").below, (Version{1, 5, 1}));
  EXPECT_EQ(here().at("mmcv").where, "requirements-extras.txt:1");
  repository.write("requirements/training.txt", "lightning==2.1\n");
  EXPECT_EQ(here().at("pytorch-lightning").where, "requirements/training.txt:1");
  repository.write("conda-cpu.yaml", "dependencies:\n  - torchvision=0.15.0\n");
  EXPECT_TRUE(here().contains("torchvision"));
  repository.write("requirements-oldest.txt", "torch==1.8\n");
  EXPECT_EQ(here().at("torch").below, (Version{1, 8, 1}));
  repository.write("requirements.txt", "torch>=1.8\n");
  EXPECT_FALSE(here().at("torch").below.has_value());
  repository.write("notes.txt", "keras==2.1\n");
  repository.write("configs/training.txt", "keras==2.1\n");
  EXPECT_FALSE(here().contains("keras"));
}

// A part of a project may have requirements of its own; what it leaves open, the folders around it say.
TEST(Requirements, FoldersAroundCountToo) {
  const Repository repository("deepperf_folders_around", {"examples"});
  const auto of_example = [&] { return repository.of("examples/run.py"); };
  repository.write("requirements.txt", "torch>=2.1\ntimm==0.4.12\ndatasets==2.0\n");
  repository.write("examples/requirements.txt", "torch\ntimm>=0.9\n");
  EXPECT_EQ(of_example().at("torch").at_least, (Version{2, 1, 0}));
  EXPECT_FALSE(of_example().at("timm").below.has_value());
  EXPECT_EQ(of_example().at("datasets").below, (Version{2, 0, 1}));
  // not a packaging script: it only has the name of one
  repository.write("examples/setup.py", "import torch\nfrom mine import setup\nimport keras\n");
  EXPECT_FALSE(of_example().contains("keras"));
  repository.write("examples/setup.py", "from setuptools import setup\nsetup(install_requires=['keras==2.1'])\n");
  EXPECT_TRUE(of_example().contains("keras"));
}

// An example that requires or imports the library that it belongs to gets what that one requires.
TEST(Requirements, PackageAroundIsRequired) {
  const Repository repository("deepperf_package_around", {"examples", "src/our_lib"});
  const std::string example = (repository.folder / "examples" / "run.py").string();
  repository.write("src/our_lib/__init__.py", "");
  repository.write("requirements.txt", "timm==0.4.12\n");
  repository.write("examples/requirements.txt", "our-lib\ntimm>=0.3\n");
  EXPECT_FALSE(requirements_of(example).at("timm").below.has_value());
  EXPECT_FALSE(folder_that_packages(example, "our_lib").has_value());
  repository.write("setup.py",
                   "from setuptools import setup\nsetup(name=NAME, install_requires=lines('requirements.txt'))\n");
  EXPECT_EQ(requirements_of(example).at("timm").below, (Version{0, 4, 13}));
  EXPECT_EQ(folder_that_packages(example, "our_lib"), repository.folder.string() + '/');
  EXPECT_FALSE(folder_that_packages(example, "other").has_value());
  repository.write("examples/requirements.txt", "timm>=0.3\n");
  EXPECT_FALSE(requirements_of(example).at("timm").below.has_value());
  // pip install -r requirements.txt -c constraints.txt
  repository.write("examples/requirements.txt", "torch\ntimm>=0.3\n");
  repository.write("examples/constraints.txt", "torch==1.13.0\ntimm==0.9\n");
  EXPECT_EQ(requirements_of(example).at("torch").below, (Version{1, 13, 1}));
  EXPECT_FALSE(requirements_of(example).at("timm").below.has_value());
}

TEST(Requirements, NamesOfFiles) {
  for (const std::string_view name : {"requirements.txt", "a/all_requirements.in", "requirements/gpu.txt",
                                      "constraints-3.10.txt", "Dockerfile.dev", "my-env.yml", "x/setup.py"}) {
    EXPECT_TRUE(is_requirements_name(name)) << name;
  }
  for (const std::string_view name : {"requirements.py", "gpu.txt", "config.yaml", "x/README.md", "requirements"}) {
    EXPECT_FALSE(is_requirements_name(name)) << name;
  }
}

TEST(Requirements, AnyTextIsTaken) {
  for (const std::string_view text :
       {"torch", "torch[", "torch>=", "torch==,", "torch>=1.", "torch,torch", "\xff\xfe"}) {
    requirements_in(text);
  }
}

} // namespace

} // namespace deepperf::project
